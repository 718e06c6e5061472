import AVFormat
import GroupActivities

/// Why a stream can't be watched, and what to do about it, in words for people.
struct StreamDiagnosis: Hashable, Sendable {
  var host: String
  /// What its server says; nil if it wasn't asked.
  var answer: HTTPProbe.Answer?
  /// What mpv and yt-dlp wrote to mpv's log meanwhile, oldest first.
  var log: [String] = []

  var text: String {
    switch answer {
    case .unknownHost:
      "there is no host \(host): check the address, and whether you are on the network"
    case .refused: "\(host) takes no connection: its server isn't running, or the port is wrong"
    case .silent: "\(host) doesn't answer: it is down, or too slow; try again later"
    case .untrusted:
      "\(host) can't prove who it is (its TLS certificate): if you know why, and trust it, "
        + "--mpv tls-verify=no opens it all the same"
    case .noTLS: "\(host) doesn't speak TLS there: the address may begin with http:// instead"
    case .garbled: "\(host) answers, but doesn't speak HTTP there: check the address's port"
    case .status(_, let target?, _)
    where !["http", "https"].contains(FilmIdentity.scheme(of: target)):
      "\(host) sends on to something that isn't http or https, which isn't opened"
    case .status(let status, _, let type): words(for: status, type)
    case nil: rest
    }
  }

  private func words(for status: Int, _ type: String?) -> String {
    switch status {
    case 404, 410: "\(host) has no such film (\(status)): check the address, or ask for a new one"
    case 401, 407: "\(host) asks who you are (\(status)): the address needs a name and a password"
    case 403, 451:
      "\(host) doesn't let you have it (\(status)): the address may have expired, or needs a login; "
        + "ask for a new one"
    case 429: "\(host) is asked too often (429): wait some minutes, then try again"
    case 500...599: "\(host) has trouble of its own (\(status)): try again later"
    case 300...399: "\(host) sends from one address to another without end (\(status))"
    case 200...299 where type == "text/html": page
    case 200...299: rest
    default: "\(host) refuses it (\(status))"
    }
  }

  /// What is there is a page, for yt-dlp to find the film in.
  private var page: String {
    if log.contains(where: { $0.contains("not found or not enough permissions") }) {
      return "\(host) has a page there and no film: install yt-dlp, which finds films in pages"
    }
    guard let reason else {
      return "\(host) has a page there and no film: give the film's own address"
    }
    return "\(host) has a page there, and yt-dlp finds no film in it: \(reason)"
  }

  private var rest: String {
    if let reason { return "\(host): yt-dlp says: \(reason)" }
    let last =
      log.last { !$0.allSatisfy(\.isWhitespace) }.map { ": " + PartyText.clean($0, limit: 200) }
      ?? ""
    return "what \(host) sends can't be played: damaged, or in no format that mpv knows\(last)"
  }

  /// yt-dlp's own, without what it asks its users for.
  private var reason: String? {
    guard let line = log.last(where: { $0.hasPrefix("ERROR:") }) else { return nil }
    let text = line.dropFirst("ERROR:".count)
    let end =
      ["; please report", " (caused by", ". Confirm you are on"].compactMap {
        text.range(of: $0)?.lowerBound
      }.min() ?? text.endIndex
    return PartyText.clean(text[..<end].trimmingPrefix(" ").description, limit: 300)
  }
}

import FilmProxy
import GroupActivities
import Screening

/// The reason why a stream can't be watched, and a suggestion, as a text for users.
struct StreamDiagnosis: Hashable, Sendable {
  package var host: String
  /// The server's answer; nil if the server wasn't asked.
  var answer: HTTPProbe.Answer?
  /// The lines that mpv and yt-dlp wrote to mpv's log while the stream was opened, oldest first.
  var log: [String] = []

  /// A Boolean value that indicates whether the answer alone shows that there is no film to watch.
  ///
  /// - Parameter mayBePage: true if yt-dlp may find a film at an address that refuses everything but a browser.
  func isFinal(mayBePage: Bool) -> Bool {
    switch answer {
    case .unknownHost, .refused, .silent, .untrusted, .noTLS, .status(_, _?, _): true
    case .status(404, _, _), .status(410, _, _): true
    case .status(let status, nil, let type):
      !(200...299).contains(status) && !(mayBePage && type == "text/html")
    // An internet radio's server speaks a dialect.
    case .garbled, nil: false
    }
  }

  /// A Boolean value that indicates whether a server sends something that can be looked at without yt-dlp.
  var hasData: Bool {
    if case .status(200...299, nil, let type) = answer { type != "text/html" } else { false }
  }

  var text: String {
    switch answer {
    case .unknownHost:
      "There is no host \(host). Check the address and your network connection."
    case .refused: "\(host) refused the connection. Its server isn't running, or the port is wrong."
    case .silent: "\(host) doesn't answer. Try again later."
    case .untrusted:
      "The TLS certificate of \(host) isn't trusted. If you trust this server, start with "
        + "--mpv tls-verify=no."
    case .noTLS: "\(host) isn't an HTTPS server. The address may begin with http:// instead."
    case .garbled: "\(host) isn't an HTTP server. Check the port in the address."
    case .status(_, let target?, _)
    where !["http", "https"].contains(FilmIdentity.scheme(of: target)):
      "\(host) redirects to an address that isn't http or https. Matinee doesn't open it."
    case .status(let status, _, let type): words(for: status, type)
    case nil: rest
    }
  }

  private func words(for status: Int, _ type: String?) -> String {
    switch status {
    case 404, 410: "\(host) has no such film (\(status)). Check the address, or ask for a new one."
    case 401, 407:
      "\(host) requires a login (\(status)). Put a user name and password into the address."
    case 403, 451:
      "\(host) denied access (\(status)). The address may have expired, or needs a login. "
        + "Ask for a new one."
    case 429: "\(host): too many requests (429). Wait a few minutes, then try again."
    case 500...599: "\(host): server error (\(status)). Try again later."
    case 300...399: "\(host) redirects without end (\(status)). Check the address."
    case 200...299 where type == "text/html": page
    case 200...299: rest
    default: "\(host) refused the request (\(status)). Check the address."
    }
  }

  /// The text for a web page, in which only yt-dlp can find the film.
  private var page: String {
    if log.contains(where: { $0.contains("not found or not enough permissions") }) {
      return
        "The address leads to a web page on \(host), not a film. Install yt-dlp to play films from web pages."
    }
    guard let reason else {
      return
        "The address leads to a web page on \(host), not a film. Use the address of the film itself."
    }
    return "yt-dlp found no film on this page of \(host): \(reason)"
  }

  private var rest: String {
    if let reason { return "yt-dlp can't load the film from \(host): \(reason)" }
    let last =
      log.last { !$0.allSatisfy(\.isWhitespace) }.map { ": " + PartyText.clean($0, limit: 200) }
      ?? ""
    return "The data from \(host) can't be played. It is damaged, or its format is unknown\(last)"
  }

  /// The reason from yt-dlp, without its requests to its users.
  private var reason: String? {
    guard let line = log.last(where: { $0.hasPrefix("ERROR:") }) else { return nil }
    let text = line.dropFirst("ERROR:".count)
    let end =
      ["; please report", " (caused by", ". Confirm you are on", ". Set --", ". Use --"].compactMap
    {
      text.range(of: $0)?.lowerBound
    }.min() ?? text.endIndex
    return PartyText.clean(text[..<end].trimmingPrefix(" ").description, limit: 300)
  }
}

/// The reason why a film isn't opened, as text for the user.
struct StreamProblem: Error, Hashable, CustomStringConvertible { var description: String }

import Concurrency
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Asks a server about an address without following redirects. mpv's messages about a failure rarely help a user, and
/// mpv must not decide where a redirect may lead.
package struct HTTPProbe: Hashable, Sendable {
  /// The outcome of a request.
  package enum Answer: Hashable, Sendable {
    /// The server answered with a status (RFC 9110).
    ///
    /// - Parameters:
    ///   - location: the target of a redirect, as an absolute URL; nil for other statuses.
    ///   - type: the media type that the server states, in lower case, without parameters.
    case status(Int, location: String?, type: String?)
    /// The host doesn't exist, or no name server can be asked.
    case unknownHost
    /// The host exists, but refuses connections.
    case refused
    /// No answer came in time.
    case silent
    /// The server's TLS certificate isn't trusted.
    case untrusted
    /// The server doesn't speak TLS at this port.
    case noTLS
    /// The answer isn't HTTP.
    case garbled
  }

  /// The answer to a request for a range, and the range's bytes.
  package struct Reply: Hashable, Sendable {
    package var answer: Answer
    /// Nil unless the server sent exactly the requested range.
    package var part: Part?
  }

  /// A range of the bytes of a film on a server.
  package struct Part: Hashable, Sendable {
    /// The size of the whole film in bytes.
    package var size: Int
    package var bytes: [UInt8]
  }

  /// The time for a connection, and then for the answer.
  private static let patience = TimeAmount.seconds(5)

  /// A Boolean value that indicates whether a server must have a trusted certificate before it gets a request: the
  /// address may contain credentials.
  private let verifiesServers: Bool
  /// The file with the trusted certificate authorities; nil for the system's.
  private let authorities: String?
  private let proxy: UpstreamProxy?

  /// - Parameters:
  ///   - verifiesServers: false to ask servers whose certificate isn't trusted, too.
  ///   - authorities: the file with the trusted certificate authorities; nil for the system's.
  ///   - proxy: the proxy for all connections; nil for none.
  package init(
    verifiesServers: Bool = true, authorities: String? = nil, proxy: UpstreamProxy? = nil
  ) {
    self.verifiesServers = verifiesServers
    self.authorities = authorities
    self.proxy = proxy
  }

  /// Sends a request for one byte, and waits some seconds at most.
  ///
  /// - Returns: nil if the text isn't an `http` or `https` URL.
  package func ask(_ text: String) async -> Answer? {
    await request(0..<1, of: text, until: .distantFuture)?.answer
  }

  /// Requests a range of a film's bytes.
  ///
  /// - Parameter patience: the longest wait for all of them.
  /// - Returns: nil if the text isn't an `http` or `https` URL.
  package func read(
    _ range: Range<Int>, of text: String, within patience: Duration
  ) async -> Reply? {
    await request(
      range, of: text, until: .now() + .nanoseconds(Int64(patience / .nanoseconds(1))))
  }

  private func request(
    _ range: Range<Int>, of text: String, until end: NIODeadline
  ) async -> Reply? {
    guard let target = ProbeTarget(text) else { return nil }
    let proxy = proxy.flatMap { $0.isUsed(for: target.host) ? $0 : nil }
    let comparesAddress = verifiesServers && proxy != nil && target.hasNumericHost
    var trust: NIOSSLContext?
    if target.isTLS {
      // Reads the system's certificates.
      trust = await OwnedThread.run("stream", atMost: .seconds(5)) {
        try? NIOSSLContext(configuration: configuration(comparing: comparesAddress))
      }.flatMap(\.self)
      guard trust != nil else { return Reply(answer: .untrusted) }
    }
    let reply = FilmProxy.loop.next().makePromise(of: Reply.self)
    let secure = trust
    ClientBootstrap(group: reply.futureResult.eventLoop)
      .connectTimeout(min(Self.patience, max(.nanoseconds(1), end - .now())))
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let exchange = ProbeExchange(
            range, of: target, through: proxy, secure, comparingAddress: comparesAddress,
            within: Self.patience, until: end, reply)
          try channel.pipeline.syncOperations.addHandler(exchange)
        }
      }
      .connect(host: proxy?.host ?? target.host, port: proxy?.port ?? target.port)
      .whenFailure {
        reply.succeed(Reply(answer: proxy == nil ? .init(failure: $0) : .silent))
      }
    return try? await reply.futureResult.get()
  }

  private func configuration(comparing comparesAddress: Bool) -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    if let authorities { configuration.trustRoots = .file(authorities) }
    configuration.certificateVerification =
      !verifiesServers ? .none : comparesAddress ? .noHostnameVerification : .fullVerification
    configuration.shutdownTimeout = .milliseconds(500)
    return configuration
  }
}

extension HTTPProbe.Answer {
  /// - Parameter error: the reason why no connection was made.
  init(failure error: any Error) {
    guard let failure = error as? NIOConnectionError else {
      self = .silent
      return
    }
    let errors = failure.connectionErrors.map(\.error)
    let isRefused = errors.contains(where: ProxyConnection.isRefusal)
    self = isRefused ? .refused : errors.isEmpty ? .unknownHost : .silent
  }

  /// - Parameters:
  ///   - head: the answer up to its body.
  ///   - url: the address that was asked.
  init(head: [UInt8], from url: String) {
    let lines = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]),
      (100...599).contains(status)
    else {
      self = .garbled
      return
    }
    func field(_ name: String) -> String? { Self.field(name, in: lines) }
    // The field of this program's own proxy.
    switch field("matinee-problem") {
    case "unknown-host": self = .unknownHost
    case "refused": self = .refused
    case "silent": self = .silent
    case .some, nil:
      var location: String?
      if [301, 302, 303, 307, 308].contains(status), let target = field("location") {
        // Text that isn't a URL is passed on unchanged. The caller decides about it.
        location =
          URL(string: target, relativeTo: URL(string: url))?.absoluteURL.absoluteString ?? target
      }
      let type = field("content-type")?.split(separator: ";").first.map { $0.lowercased() }
      self = .status(status, location: location, type: type)
    }
  }

  fileprivate static func field(_ name: String, in lines: [Substring]) -> String? {
    lines.dropFirst().lazy.compactMap { line -> String? in
      guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name else {
        return nil
      }
      return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }.first
  }
}

extension HTTPProbe.Part {
  /// Creates the part that a server is about to send.
  ///
  /// - Returns: nil if it sends anything else than the range, up to the film's end, as plain bytes.
  init?(head: [UInt8], of range: Range<Int>) {
    let lines = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)
    func field(_ name: String) -> String? { HTTPProbe.Answer.field(name, in: lines) }
    guard lines.first?.split(separator: " ").dropFirst().first == "206",
      let stated = field("content-range"),
      let size = stated.split(separator: "/").last.flatMap({ Int($0) }),
      size > range.lowerBound, field("transfer-encoding") == nil, field("content-encoding") == nil,
      stated == "bytes \(range.lowerBound)-\(min(range.upperBound, size) - 1)/\(size)"
    else { return nil }
    self.init(size: size, bytes: [])
  }

  /// Adds bytes that have arrived.
  ///
  /// - Returns: true once the range is complete.
  mutating func append(_ more: some Sequence<UInt8>, of range: Range<Int>) -> Bool {
    let length = min(range.upperBound, size) - range.lowerBound
    bytes += more
    bytes.removeLast(max(0, bytes.count - length))
    return bytes.count == length
  }
}

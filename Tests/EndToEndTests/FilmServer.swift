import Foundation

/// A film over HTTP from this machine, with ranges. The part that a reader gets can be limited.
///
/// A reader that has got all that it may have waits: its connection stays open, without further
/// bytes.
final class FilmServer: Sendable {
  let url: String
  private let size: Int
  /// The offset at which the picture and the sound begin, after the index.
  private let media: Int

  private let listener: HTTPListener
  private let guests = Guests()

  /// The current readers, and the number of bytes that each may have.
  private final class Guests: Sendable {
    let gate = NSCondition()
    /// The limits by `User-Agent`. Guarded by `gate`, like the rest.
    nonisolated(unsafe) var limits: [String: Int] = [:]
    nonisolated(unsafe) var refused: Set<String> = []
    nonisolated(unsafe) var connections: [CInt: String] = [:]
    nonisolated(unsafe) var isStopped = false

    /// Waits until bytes from this offset may be sent; returns how many may, 0 for none ever.
    func allowance(of reader: String, from offset: Int, size: Int) -> Int {
      gate.withLock {
        while !isStopped, offset >= limits[reader] ?? .max { gate.wait() }
        return isStopped ? 0 : min(limits[reader] ?? .max, size) - offset
      }
    }
  }

  init(_ file: String) throws {
    let film = try Data(contentsOf: URL(fileURLWithPath: file))
    size = film.count
    media = film.range(of: Data("mdat".utf8))?.lowerBound ?? 0
    let guests = guests
    listener = try HTTPListener { Self.serve(film, to: guests, $0) }
    url = "http://127.0.0.1:\(listener.port)/film.mp4"
  }

  deinit {
    guests.gate.withLock {
      guests.isStopped = true
      for connection in guests.connections.keys { shutdown(connection, CInt(SHUT_RDWR)) }
      guests.gate.broadcast()
    }
  }

  /// Gives readers of this name about so many seconds of the film's 120; nil for all of it.
  func limit(_ reader: String, to seconds: Int?) {
    guests.gate.withLock {
      guests.limits[reader] = seconds.map { media + (size - media) / 120 * $0 }
      guests.gate.broadcast()
    }
  }

  /// Breaks the connections of readers of this name.
  func hangUp(on reader: String) {
    guests.gate.withLock {
      for (connection, other) in guests.connections where other == reader {
        shutdown(connection, CInt(SHUT_RDWR))
      }
    }
  }

  /// Refuses readers of this name, as if the server were down.
  func refuse(_ reader: String, _ isRefused: Bool = true) {
    guests.gate.withLock {
      if isRefused { guests.refused.insert(reader) } else { guests.refused.remove(reader) }
    }
    if isRefused { hangUp(on: reader) }
  }

  private static func serve(_ film: Data, to guests: Guests, _ request: HTTPListener.Request) {
    let reader = request.fields["user-agent"] ?? ""
    let isWelcome = guests.gate.withLock {
      guard !guests.isStopped, !guests.refused.contains(reader) else { return false }
      guests.connections[request.connection] = reader
      return true
    }
    guard isWelcome else { return }
    defer {
      guests.gate.withLock { _ = guests.connections.removeValue(forKey: request.connection) }
    }
    // Bytes in the kernel's buffer count as sent, whatever the limit is then.
    var buffer: CInt = 16384
    setsockopt(
      request.connection, SOL_SOCKET, SO_SNDBUF, &buffer, socklen_t(MemoryLayout<CInt>.size))
    var offset = 0
    if let range = request.fields["range"], range.hasPrefix("bytes=") {
      offset = Int(range.dropFirst(6).prefix { $0.isNumber }) ?? 0
    }
    guard offset < film.count else {
      request.send(
        Data("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n".utf8))
      return
    }
    let head =
      "HTTP/1.1 206 Partial Content\r\nContent-Type: video/mp4\r\nAccept-Ranges: bytes\r\n"
      + "Content-Range: bytes \(offset)-\(film.count - 1)/\(film.count)\r\n"
      + "Content-Length: \(film.count - offset)\r\nConnection: close\r\n\r\n"
    guard request.send(Data(head.utf8)) else { return }
    while offset < film.count {
      let count = min(16384, guests.allowance(of: reader, from: offset, size: film.count))
      guard count > 0, request.send(film[offset..<offset + count]) else { return }
      offset += count
    }
  }
}

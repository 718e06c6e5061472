import Foundation

/// A film over HTTP from this machine, with ranges; how much of it somebody gets can be limited.
///
/// A reader that has got all that it may have is left waiting: its connection stays, and nothing comes.
final class FilmServer: Sendable {
  let url: String
  private let size: Int
  /// Where the picture and the sound begin, behind the index.
  private let media: Int

  private let film: Data
  private let listener: CInt
  private let gate = NSCondition()
  /// By `User-Agent`. Guarded by `gate`, like the rest.
  nonisolated(unsafe) private var limits: [String: Int] = [:]
  nonisolated(unsafe) private var refused: Set<String> = []
  nonisolated(unsafe) private var connections: [CInt: String] = [:]
  nonisolated(unsafe) private var isStopped = false

  init(_ file: String) throws {
    film = try Data(contentsOf: URL(fileURLWithPath: file))
    size = film.count
    media = film.range(of: Data("mdat".utf8))?.lowerBound ?? 0
    listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) + listen(listener, 8) + getsockname(listener, $0, &length)
      }
    }
    guard status == 0 else {
      throw MatineeProcess.Missing(description: "no server for the film: errno \(errno)")
    }
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/film.mp4"
    Thread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        guard let self, self.take(connection) else {
          close(connection)
          return
        }
        Thread { [weak self] in self?.serve(connection) }.start()
      }
    }.start()
  }

  deinit {
    gate.withLock {
      isStopped = true
      for connection in connections.keys { shutdown(connection, CInt(SHUT_RDWR)) }
      gate.broadcast()
    }
    shutdown(listener, CInt(SHUT_RDWR))
    close(listener)
  }

  /// Whoever calls itself so gets about so many seconds of the film's 120; nil for all of it.
  func limit(_ reader: String, to seconds: Int?) {
    gate.withLock {
      limits[reader] = seconds.map { media + (size - media) / 120 * $0 }
      gate.broadcast()
    }
  }

  /// Breaks the connections of whoever calls itself so.
  func hangUp(on reader: String) {
    gate.withLock {
      for (connection, other) in connections where other == reader {
        shutdown(connection, CInt(SHUT_RDWR))
      }
    }
  }

  /// Is gone, for whoever calls itself so.
  func refuse(_ reader: String, _ isRefused: Bool = true) {
    gate.withLock {
      if isRefused { refused.insert(reader) } else { refused.remove(reader) }
    }
    if isRefused { hangUp(on: reader) }
  }

  private func take(_ connection: CInt) -> Bool {
    gate.withLock {
      if !isStopped { connections[connection] = "" }
      return !isStopped
    }
  }

  /// Waits until bytes from here on may be sent; returns how many may, 0 for none ever.
  private func allowance(of reader: String, from offset: Int) -> Int {
    gate.withLock {
      while !isStopped, offset >= limits[reader] ?? .max { gate.wait() }
      return isStopped ? 0 : min(limits[reader] ?? .max, size) - offset
    }
  }

  private func serve(_ connection: CInt) {
    defer {
      gate.withLock { _ = connections.removeValue(forKey: connection) }
      close(connection)
    }
    // What the kernel holds has been sent, whatever the limit is then.
    var buffer: CInt = 16384
    setsockopt(
      connection, SOL_SOCKET, SO_SNDBUF, &buffer, socklen_t(MemoryLayout<CInt>.size))
    guard let request = readRequest(connection) else { return }
    var offset = 0
    if let range = request["range"], range.hasPrefix("bytes=") {
      offset = Int(range.dropFirst(6).prefix { $0.isNumber }) ?? 0
    }
    let reader = request["user-agent"] ?? ""
    let isRefused = gate.withLock {
      connections[connection] = reader
      return refused.contains(reader)
    }
    guard !isRefused else { return }
    guard offset < size else {
      send(connection, Data("HTTP/1.1 416 Range Not Satisfiable\r\nContent-Length: 0\r\n\r\n".utf8))
      return
    }
    let head =
      "HTTP/1.1 206 Partial Content\r\nContent-Type: video/mp4\r\nAccept-Ranges: bytes\r\n"
      + "Content-Range: bytes \(offset)-\(size - 1)/\(size)\r\n"
      + "Content-Length: \(size - offset)\r\nConnection: close\r\n\r\n"
    guard send(connection, Data(head.utf8)) else { return }
    while offset < size {
      let count = min(16384, allowance(of: reader, from: offset))
      guard count > 0, send(connection, film[offset..<offset + count]) else { return }
      offset += count
    }
  }

  /// The fields of a request's head, in lower case; nil if none came.
  private func readRequest(_ connection: CInt) -> [String: String]? {
    var head = Data()
    var byte: UInt8 = 0
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard head.count < 65536, recv(connection, &byte, 1, 0) == 1 else { return nil }
      head.append(byte)
    }
    var fields: [String: String] = [:]
    for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n").dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    return fields
  }

  @discardableResult
  private func send(_ connection: CInt, _ data: Data) -> Bool {
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

import Foundation

/// Standard input and output as lines.
enum JSONLines {
  /// Lines of standard input, read on a thread of its own, since reading blocks. Ends with the input.
  static func input() -> AsyncStream<String> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: String.self, bufferingPolicy: .bufferingOldest(1024))
    let thread = Thread {
      while let line = readLine(strippingNewline: true) { continuation.yield(line) }
      continuation.finish()
    }
    thread.name = "standard input"
    thread.start()
    return stream
  }

  /// Writes one object as one line.
  ///
  /// - Returns: false when nobody reads any more.
  static func write(_ object: [String: any Sendable]) -> Bool {
    guard
      let data = try? JSONSerialization.data(
        withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    else { preconditionFailure("an event that is no JSON: \(object.keys)") }
    var line = Array(data) + [10]
    while !line.isEmpty {
      let count = line.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      line.removeFirst(count)
    }
    return true
  }
}

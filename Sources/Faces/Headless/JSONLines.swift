import Concurrency
import Foundation
import Screening

/// Standard input and output as lines.
package enum JSONLines {
  /// Reads the lines of standard input on a thread of its own, since reading blocks. The stream ends with the input.
  ///
  /// At most 256 lines wait. A script that writes faster has to wait; no line is lost.
  static func input() -> AsyncStream<LineSplitter.Line> {
    let inbox = BoundedInbox<LineSplitter.Line>(costLimit: 256)
    OwnedThread.start("stdin") {
      var splitter = LineSplitter()
      var buffer = [UInt8](repeating: 0, count: 16 * 1024)
      while true {
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        let lines =
          count > 0 ? splitter.append(buffer.prefix(count)) : splitter.finish().map { [$0] } ?? []
        for line in lines where !inbox.sendBlocking(line) { return }
        if count <= 0 { break }
      }
      inbox.finish()
    }
    return inbox.makeStream()
  }

  /// Writes an event as one line. An event that isn't printed is left out.
  ///
  /// - Returns: false if standard output is closed.
  package static func write(_ event: ScreeningEvent) -> Bool {
    guard event.kind.isPrinted else { return true }
    return StandardOutput.write(line(event))
  }

  /// Returns an event as one line. Invisible characters and those that could be part of a terminal's control sequence
  /// are escaped: a JSON parser reads the same text, and printing the line is harmless.
  static func line(_ event: ScreeningEvent) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data: Data
    do {
      data = try encoder.encode(event)
    } catch {
      preconditionFailure("an event that is no JSON (\(event.kind)): \(error)")
    }
    var text = ""
    for scalar in String(decoding: data, as: UTF8.self).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
        .unassigned:
        for unit in UTF16.encode(scalar)! {
          let digits = String(unit, radix: 16)
          text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: text.unicodeScalars.append(scalar)
      }
    }
    return Array(text.utf8) + [10]
  }
}

enum StandardOutput {
  /// - Returns: false if standard output is closed.
  package static func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

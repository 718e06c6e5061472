import Foundation
import GroupActivities

/// An invite in a file that only its owner may read.
package enum InviteFile {
  package struct Failure: Error, CustomStringConvertible {
    var path: String
    var operation: String
    var reason: String

    package init(path: String, operation: String = "written to", reason: String) {
      (self.path, self.operation, self.reason) = (path, operation, reason)
    }

    package var description: String { "The invite can't be \(operation) \(path): \(reason)" }
  }

  /// Returns the first line of the file that isn't blank. The file was written by ``write(_:to:)``, or a user pasted an
  /// invite into it.
  package static func read(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    func failure() -> Failure {
      Failure(path: path, operation: "read from", reason: String(cString: strerror(errno)))
    }
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: limit)
    // A pipe delivers the text in pieces.
    while bytes.count < limit {
      let count = Foundation.read(descriptor, &buffer, limit - bytes.count)
      guard count >= 0 else { throw failure() }
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .first { !$0.allSatisfy(\.isWhitespace) }.map(String.init) ?? ""
  }

  /// A limit in bytes, larger than any invite.
  private static let limit = 4096

  /// Returns the first line of standard input that isn't blank. It is read byte by byte, because a script's commands may
  /// follow it.
  package static func firstInputLine() -> String {
    var bytes: [UInt8] = []
    while bytes.count < limit {
      var byte: UInt8 = 0
      let count = Glibc.read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      if byte != UInt8(ascii: "\n") {
        bytes.append(byte)
      } else if bytes.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == 9 || $0 == 13 }) {
        bytes = []
      } else {
        break
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  package static func write(_ invite: Invite, to path: String) throws {
    try write(invite.text + "\n", to: path)
  }

  /// Writes a text to a temporary file beside the path and then moves it there: a reader sees either the whole file or none,
  /// and its permissions are always 0600.
  package static func write(_ text: String, to path: String) throws {
    let temporary = path + ".\(ProcessInfo.processInfo.processIdentifier)"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Failure(path: path, reason: String(cString: strerror(errno)))
    }
    let bytes = Array(text.utf8)
    let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    let reason = String(cString: strerror(errno))
    close(descriptor)
    guard written == bytes.count else {
      unlink(temporary)
      throw Failure(path: path, reason: reason)
    }
    guard rename(temporary, path) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(temporary)
      throw Failure(path: path, reason: reason)
    }
  }
}

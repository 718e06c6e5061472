import Foundation
import GroupActivities

/// An invite in a file that only its owner may read.
enum InviteFile {
  struct Failure: Error, CustomStringConvertible {
    var path: String
    var reason: String
    var description: String { "the invite can't be written to \(path): \(reason)" }
  }

  /// Written beside its place and then moved there: whoever sees the file sees all of it, and it never
  /// has other permissions than 0600.
  static func write(_ invite: Invite, to path: String) throws {
    let temporary = path + ".\(ProcessInfo.processInfo.processIdentifier)"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw Failure(path: path, reason: String(cString: strerror(errno)))
    }
    let bytes = Array((invite.text + "\n").utf8)
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

import Foundation
import MPVPlayer
import Timekeeping

/// The latency offsets of this user's sound devices, in a file of the state folder.
///
/// The file is read again before each change, so that two running programs keep each other's changes.
package struct LatencyOffsetFile: Hashable, Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  private struct Contents: Codable {
    struct Entry: Codable {
      var latencyMs: Double
      /// The device's name, for a reader of the file.
      package var name: String?
    }

    var version = 1
    /// The entries by ``AudioDevice/key``.
    var devices: [String: Entry] = [:]
  }

  package static let name = "latency-offsets.json"
  /// The maximum size in bytes, larger than any plausible list of devices.
  private static let sizeLimit = 1 << 20

  /// The file's folder, which is created when it is first needed.
  let folder: String

  package init(folder: String) { self.folder = folder }

  private var path: String { folder + "/" + Self.name }

  /// - Returns: nil if the device has no remembered offset.
  /// - Throws: ``Failure`` if the file can't be read, or is damaged and was moved aside.
  package func offset(for device: AudioDevice) throws(Failure) -> LatencyOffset? {
    guard let entry = try read().devices[device.key], entry.latencyMs.isFinite else { return nil }
    return LatencyOffset(clamping: Duration(clampingSeconds: entry.latencyMs / 1000))
  }

  /// Remembers `offset` for the device. A zero offset removes the device's entry.
  package func remember(_ offset: LatencyOffset, for device: AudioDevice) throws(Failure) {
    var contents = try read()
    contents.devices[device.key] =
      offset == .zero
      ? nil : .init(latencyMs: offset.duration.inMilliseconds, name: device.name)
    try write(contents)
  }

  // MARK: - The file

  private func read() throws(Failure) -> Contents {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return Contents() }
      throw failure("can't be read", String(cString: strerror(errno)))
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.sizeLimit + 1)
    var count = 0
    while count < bytes.count {
      let part = bytes.withUnsafeMutableBytes {
        Foundation.read(descriptor, $0.baseAddress! + count, $0.count - count)
      }
      guard part >= 0 else { throw failure("can't be read", String(cString: strerror(errno))) }
      guard part > 0 else { break }
      count += part
    }
    if count <= Self.sizeLimit,
      let contents = try? JSONDecoder().decode(Contents.self, from: Data(bytes[..<count])),
      contents.version == 1
    {
      return contents
    }
    // The damaged file is kept, because the user may have edited it by hand.
    let aside = path + ".damaged"
    guard rename(path, aside) == 0 else {
      throw failure("is damaged", String(cString: strerror(errno)))
    }
    chmod(aside, 0o600)
    throw Failure(
      description:
        "The latency offsets in \(path) were damaged. They were moved to \(aside), and the list starts empty."
    )
  }

  /// Writes a temporary file beside the path and then moves it there: a reader sees either the old contents or the new,
  /// and the mode is 0600 from the beginning.
  private func write(_ contents: Contents) throws(Failure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(contents) else { throw failure("can't be written", "") }
    do {
      // The specification demands 0700 for created parent folders, too.
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw failure("can't be written", "\(folder) can't be created")
    }
    // An existing folder may be open to other users.
    chmod(folder, 0o700)
    let temporary = path + ".\(ProcessInfo.processInfo.processIdentifier)"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw failure("can't be written", String(cString: strerror(errno)))
    }
    let written = data.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    // Sync before the rename: even after a crash of the machine the file is either the old one or the new one.
    let isWhole = written == data.count && fsync(descriptor) == 0
    let reason = String(cString: strerror(errno))
    close(descriptor)
    guard isWhole, rename(temporary, path) == 0 else {
      unlink(temporary)
      throw failure("can't be written", reason)
    }
  }

  private func failure(_ what: String, _ reason: String) -> Failure {
    Failure(description: "The latency offsets in \(path) \(what): \(reason)")
  }
}

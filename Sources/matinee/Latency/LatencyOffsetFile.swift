import Foundation
import MPVPlayer
import Timekeeping

/// The latency offsets of this person's sound devices, in a file of the state folder.
///
/// It is read anew before each change, so that two programs that run at once forget nothing of each other's.
struct LatencyOffsetFile: Hashable, Sendable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private struct Contents: Codable {
    struct Entry: Codable {
      var latencyMs: Double
      /// For whoever looks into the file.
      var name: String?
    }

    var version = 1
    /// By ``AudioDevice/key``.
    var devices: [String: Entry] = [:]
  }

  static let name = "latency-offsets.json"
  /// More than anybody has devices.
  private static let sizeLimit = 1 << 20

  /// The folder that it is in, made when it is first needed.
  let folder: String

  private var path: String { folder + "/" + Self.name }

  /// - Returns: nil if nothing is remembered for the device.
  /// - Throws: ``Failure`` if the file can't be read, or is damaged and was set aside.
  func offset(for device: AudioDevice) throws(Failure) -> LatencyOffset? {
    guard let entry = try read().devices[device.key], entry.latencyMs.isFinite else { return nil }
    return LatencyOffset(clamping: Duration(clampingSeconds: entry.latencyMs / 1000))
  }

  /// Remembers `offset`; zero is what a device has that nothing is remembered of.
  func remember(_ offset: LatencyOffset, for device: AudioDevice) throws(Failure) {
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
    // Not thrown away: somebody may have edited it by hand.
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

  /// Written beside its place and then moved there: whoever reads it reads all of it, and its mode is 0600 from the
  /// first moment.
  private func write(_ contents: Contents) throws(Failure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(contents) else { throw failure("can't be written", "") }
    do {
      // The specification wants 0700 for what has to be made on the way, too.
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw failure("can't be written", "\(folder) can't be created")
    }
    // One that was there already may be open to others.
    chmod(folder, 0o700)
    let temporary = path + ".\(ProcessInfo.processInfo.processIdentifier)"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw failure("can't be written", String(cString: strerror(errno)))
    }
    let written = data.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    // Before the name says that it is there: after a crash of the machine, too, it is the old one or the new one.
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

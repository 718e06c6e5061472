import Foundation

/// Files of this machine that no film may cause to be opened. The kernel reports each opening
/// (inotify(7)), whatever its path.
final class Canary: Sendable {
  let folder: URL
  private let watch: CInt

  /// A film, a segment and a key, as a playlist would name them.
  static let names = ["film.mkv", "segment.ts", "header.mp4", "key.bin", "secret.txt"]

  init() throws {
    folder = try Clips.newFolder("canary")
    for name in Self.names.prefix(3) {
      try Clips.ffmpeg([
        "-f", "lavfi", "-i", "testsrc2=s=64x64:r=10:d=2", "-c:v", "mpeg4",
        folder.appendingPathComponent(name).path,
      ])
    }
    try Data(count: 16).write(to: folder.appendingPathComponent("key.bin"))
    try Data("root:x:0:0\n".utf8).write(to: folder.appendingPathComponent("secret.txt"))
    watch = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard watch >= 0, inotify_add_watch(watch, folder.path, UInt32(IN_OPEN | IN_ACCESS)) >= 0 else {
      throw MatineeProcess.Missing(description: "no inotify: errno \(errno)")
    }
  }

  deinit {
    close(watch)
    try? FileManager.default.removeItem(at: folder)
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Returns the files that were opened or read since the last call.
  func opened() -> Set<String> {
    var names: Set<String> = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(watch, &buffer, buffer.count)
      guard count > 0 else { return names }
      var place = 0
      let header = MemoryLayout<inotify_event>.size
      while place + header <= count {
        let length = buffer.withUnsafeBytes {
          Int($0.loadUnaligned(fromByteOffset: place + 12, as: UInt32.self))
        }
        let name = buffer[(place + header)..<(place + header + length)].prefix { $0 != 0 }
        names.insert(String(decoding: name, as: UTF8.self))
        place += header + length
      }
    }
  }
}

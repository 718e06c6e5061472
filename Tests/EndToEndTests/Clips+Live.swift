import Foundation
import ProcessTesting
import Synchronization

extension Clips {
  /// The possible duration of the live stream, in seconds.
  static let liveSeconds = 240

  private static let lives = Mutex<[Int: URL]>([:])
  /// The stream in one file, of which each folder has a copy.
  private static let liveFilm = Result { () throws -> String in
    let file = folder.appendingPathComponent("live.ts")
    try SharedFilm.make(file, named: "live.ts") { path in
      try ffmpeg([
        "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=\(liveSeconds)", "-f", "lavfi", "-i",
        "sine=440:d=\(liveSeconds)", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25",
        "-sc_threshold", "0", "-c:a", "aac", path,
      ])
    }
    return file.path
  }

  /// Returns a folder of segments of a second each, whose time stamps begin with so many seconds.
  static func live(shiftedBy shift: Int) throws -> URL {
    try lives.withLock { lives in
      if let known = lives[shift] { return known }
      let segments = folder.appendingPathComponent("live-\(shift)")
      try FileManager.default.createDirectory(at: segments, withIntermediateDirectories: true)
      try ffmpeg([
        "-i", try liveFilm.get(), "-c", "copy", "-output_ts_offset", "\(shift)", "-f", "segment",
        "-segment_time", "1", "-segment_format", "mpegts",
        segments.appendingPathComponent("%03d.ts").path,
      ])
      lives[shift] = segments
      return segments
    }
  }
}

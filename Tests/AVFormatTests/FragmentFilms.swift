import AVFormat
import Foundation
import ProcessTesting
import Testing
import Timekeeping

/// Films for the tests of fragments, made by ffmpeg once in a run.
struct FragmentFilm: Hashable, Sendable, CustomTestStringConvertible {
  /// The name of the file, with the extension of its format.
  var name: String
  /// The arguments of ffmpeg before the file.
  var arguments: [String]
  /// The expected codecs.
  var codecs: String
  var plays: Set<String> = ["avc1", "hvc1", "vp9", "av01", "aac", "opus", "flac"]
  /// The duration in seconds.
  var length = 6

  var testDescription: String { name }

  private static let folder = RunFolder.make("fragment-films")

  /// A picture that changes, of 25 frames in a second, and noise that never repeats, in stereo.
  private static func source(_ seconds: Int) -> [String] {
    [
      "-f", "lavfi", "-i", "testsrc2=d=\(seconds):r=25:s=160x120", "-f", "lavfi", "-i",
      "anoisesrc=d=\(seconds):r=48000:a=0.3:seed=7,lowpass=4000,aformat=channel_layouts=stereo",
    ]
  }

  /// Makes the film if it isn't there.
  func path() throws -> String {
    let file = Self.folder.appendingPathComponent(name)
    if !FileManager.default.fileExists(atPath: file.path) {
      try SharedFilm.make(file, named: "fragments-" + name) { path in
        try Self.ffmpeg(Self.source(length) + arguments + [path])
      }
    }
    return file.path
  }

  static func ffmpeg(_ arguments: [String]) throws {
    try ChildProcess.run(["ffmpeg", "-nostdin", "-v", "error", "-y"] + arguments)
  }
}

/// One packet of a file, as ffprobe describes it. Times are in seconds.
struct ProbedPacket: Hashable, Sendable {
  var kind: String
  var pts: Double
  var isKey: Bool

  /// Returns a kind's packets in the order of presentation, without those that a player discards.
  static func all(_ path: String, _ kind: String) throws -> [ProbedPacket] {
    let text = try ChildProcess.run([
      "ffprobe", "-v", "error", "-select_streams", "\(kind.prefix(1)):0", "-show_entries",
      "packet=pts_time,flags", "-of", "csv=p=0", path,
    ])
    return text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",")
      guard fields.count >= 2, let pts = Double(fields[0]) else { return nil }
      return ProbedPacket(kind: kind, pts: pts, isKey: fields[1].hasPrefix("K"))
    }
    .sorted { $0.pts < $1.pts }
  }
}

/// One decoded picture of a file, as ffprobe describes it. The time is in seconds.
struct ProbedFrame: Hashable, Sendable {
  var time: Double
  var isKey: Bool
  var height: Int

  /// Returns the pictures in the order of presentation.
  static func all(_ path: String) throws -> [ProbedFrame] {
    let text = try ChildProcess.run([
      "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries",
      "frame=key_frame,best_effort_timestamp_time,height", "-of", "csv=p=0", path,
    ])
    return text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: ",")
      guard fields.count >= 3, let time = Double(fields[1]), let height = Int(fields[2]) else {
        return nil
      }
      return ProbedFrame(time: time, isKey: fields[0] == "1", height: height)
    }
  }
}

extension FragmentReader {
  /// Reads to the end, or `count` fragments.
  func rest(_ count: Int = .max) throws -> [Fragment] {
    var fragments: [Fragment] = []
    while fragments.count < count, let fragment = try next() { fragments.append(fragment) }
    return fragments
  }
}

extension [Fragment] {
  /// Writes the fragments into one file, and returns its path.
  func write(in folder: URL, _ name: String = "fragments.mp4") throws -> String {
    let file = folder.appendingPathComponent(name)
    try Data(flatMap(\.bytes)).write(to: file)
    return file.path
  }
}

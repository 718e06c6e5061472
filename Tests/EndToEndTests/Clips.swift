import Foundation
import ProcessTesting

/// Films for the tests, made by ffmpeg once a run.
enum Clips {
  struct Failure: Error, CustomStringConvertible {
    var description = "ffmpeg can't make the test's film: apt install ffmpeg (make test does it)"
  }

  static let folder = RunFolder.make("matinee-clips")

  /// Makes a folder for one test, which is removed with the run.
  static func newFolder(_ name: String) throws -> URL {
    let folder = folder.appendingPathComponent("\(name)-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  static let film = Result { try make("film.mp4", hue: 0) }
  static let otherFilm = Result { try make("other.mp4", hue: 90) }

  /// The film with its index in front, so that it can be played from its first bytes.
  static let stream = Result {
    let file = folder.appendingPathComponent("stream.mp4").path
    try ffmpeg(["-i", try film.get(), "-c", "copy", "-movflags", "+faststart", file])
    return file
  }

  /// A recording whose time stamps jump by an hour after 20 seconds. The rest leaves players time to get in step.
  static let jumping = Result {
    let film = folder.appendingPathComponent("jumping.ts")
    var whole = Data()
    for (offset, seconds) in [(0, 20), (3600, 110)] {
      let part = folder.appendingPathComponent("part-\(offset).ts").path
      try ffmpeg([
        "-i", try Self.film.get(), "-t", "\(seconds)", "-c", "copy", "-output_ts_offset",
        "\(offset)",
        part,
      ])
      whole += try Data(contentsOf: URL(fileURLWithPath: part))
    }
    try whole.write(to: film)
    return film.path
  }

  /// Makes two minutes of moving picture and sound; another hue makes another film.
  private static func make(_ name: String, hue: Int) throws -> String {
    let file = folder.appendingPathComponent(name)
    try SharedFilm.make(file, named: name) { path in
      try ffmpeg([
        "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=120,hue=h=\(hue)", "-f", "lavfi", "-i",
        "sine=440:d=120", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-c:a", "aac",
        path,
      ])
    }
    return file.path
  }

  static func ffmpeg(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ffmpeg", "-nostdin", "-loglevel", "error", "-y"] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    guard process.waitForEnd() == 0 else { throw Failure() }
  }
}

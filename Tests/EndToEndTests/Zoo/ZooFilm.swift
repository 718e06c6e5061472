import Foundation
import ProcessTesting
import Testing

/// A small film of one kind, which a shell script makes with ffmpeg when a test first needs it.
struct ZooFilm: Sendable, CustomTestStringConvertible {
  /// How participants come to the film.
  enum Source: Hashable, Sendable {
    case file
    case server
    /// A server that ignores ranges.
    case serverWithoutRanges
  }

  /// A place where the time stamps jump from one media time to another, forward or back, without an interruption.
  struct Jump: Sendable {
    var from: Double
    var to: Double

    /// Returns whether a position lies behind the jump, whether or not the player goes on counting from before it.
    func isCrossed(at position: Double) -> Bool {
      to < from
        ? position > from + 0.5 || (to + 0.5..<from - 2.5).contains(position) : position > to + 0.5
    }
  }

  /// Words that the kind is named by in results.
  let name: String
  /// The name of the file that is played.
  let file: String
  /// Runs in an empty folder, with the file's name as `$1`.
  let script: String
  /// The media time at which the last picture or sound ends, in seconds.
  var length = 24.0
  /// The longest distance of two pictures, in seconds.
  var frame = 0.04
  var source = Source.file
  var jump: Jump?
  /// The last position to which participants go, in seconds; nil for two seconds before the end of the time stamps.
  var lastPosition: Double?
  /// A Boolean value that indicates whether a player may refuse to seek, if it says so.
  var mayRefuseSeeks = false
  /// A Boolean value that indicates whether the file ends before its promised length, as participants are to be told.
  var isCutOff = false

  var testDescription: String { name }

  /// A Boolean value that indicates whether there is time to do something while the film plays.
  var isLong: Bool { length > 5 }
  /// The distance of two participants on one picture, or in one moment of sound that is not noticed, in seconds.
  var near: Double { frame < 0.1 ? 0.001 : 0.02 }
  /// Where participants who stand are sent.
  var targets: [Double] {
    if let jump, jump.to > jump.from { return [jump.to + 4.4, jump.to + 1, jump.from - 9] }
    return (isLong ? [0.66, 0.52, 0.31] : [0.8, 0.2]).map { (length * $0 * 10).rounded() / 10 }
  }

  /// Where participants who play are sent: far from the end, and before a jump.
  var middle: Double { jump.map { $0.from - 8 } ?? (length * 0.4).rounded() }

  /// The position from which the end is watched.
  var approach: Double { lastPosition ?? length - 2 }

  /// What all scripts may use. The picture has a counter, and the sound no two equal parts, as films have.
  private static let prelude = """
    set -eu
    f() { ffmpeg -nostdin -loglevel error -y "$@"; }
    picture='-f lavfi -i testsrc2=s=160x90:r=25:d=24'
    sound='-f lavfi -i anoisesrc=d=24:c=pink:a=0.2:r=48000'
    sweep='-f lavfi -i aevalsrc=0.2*sin(2*PI*(200*t+20*t*t)):d=24:s=44100'
    h264='-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 50'

    """

  /// Films are kept beside the built program, so that `make clean` removes them.
  private static var shelf: URL {
    get throws { try MatineeProcess.executable.deletingLastPathComponent().appending(path: "zoo") }
  }

  /// Returns the path of the film, which is made unless an earlier test did.
  func made() throws -> String {
    let script = Self.prelude + script
    let folder = try Self.shelf.appending(path: Self.digest(script + "\n" + file))
    let path = folder.appending(path: file).path
    if FileManager.default.fileExists(atPath: path) { return path }
    // Under another name until it is complete: other processes make films, and any may be ended.
    let unfinished = try Self.shelf.appending(path: "unfinished-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: unfinished, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: unfinished) }
    try ChildProcess.run(["sh", "-c", "cd \"$0\"; " + script, unfinished.path, file])
    do {
      try FileManager.default.moveItem(at: unfinished, to: folder)
    } catch {
      guard FileManager.default.fileExists(atPath: path) else { throw error }
    }
    return path
  }

  /// FNV-1a: films of changed scripts have other folders.
  private static func digest(_ text: String) -> String {
    let value = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01b3
    }
    return String(value, radix: 16)
  }
}

/// What is tried in this run.
enum ZooSelection {
  private static let environment = ProcessInfo.processInfo.environment

  /// A Boolean value that indicates whether all kinds are tried: `make test-zoo`. `ZOO` names the file for the figures.
  static let isWhole = environment["ZOO"] != nil

  /// For families of which `make test` tries none.
  static let onlyWhole: ConditionTrait = .enabled(
    if: isWhole, "only when all kinds are tried: make test-zoo")

  /// Returns the kinds of a family that are tried.
  ///
  /// - Parameters:
  ///   - all: all kinds, with their names. `ZOO_KIND` has a part of the wanted names.
  ///   - few: the names of those that are tried even without `make test-zoo`.
  static func of<Kind>(_ all: [Kind], _ name: (Kind) -> String, briefly few: Set<String>) -> [Kind]
  {
    guard isWhole else { return all.filter { few.contains(name($0)) } }
    guard let part = environment["ZOO_KIND"], !part.isEmpty else { return all }
    return all.filter { name($0).contains(part) }
  }
}

extension ZooFilm {
  /// Returns the films of a family that are tried in this run.
  static func selection(of films: [ZooFilm], briefly names: Set<String> = []) -> [ZooFilm] {
    ZooSelection.of(films, \.name, briefly: names)
  }

  /// A film with the usual picture and sound.
  ///
  /// - Parameter options: ffmpeg's options for the output.
  static func coded(
    _ name: String, _ file: String, _ options: String, frame: Double = 0.04
  ) -> ZooFilm {
    ZooFilm(
      name: name, file: file, script: "f $picture $sound \(options) \"$1\"", frame: frame)
  }

  /// A film with the usual picture, and sound with these channels and this coder.
  static func channels(_ name: String, _ file: String, _ layout: String, _ options: String)
    -> ZooFilm
  {
    ZooFilm(
      name: name, file: file,
      script: """
        f $picture $sound -filter_complex '[1]aformat=channel_layouts=\(layout)[a]' -map 0:v \
        -map '[a]' $h264 \(options) "$1"
        """)
  }

  /// A film without a picture. Positions are those of the sound's packets.
  static func heard(_ name: String, _ file: String, _ options: String) -> ZooFilm {
    ZooFilm(name: name, file: file, script: "f $sweep \(options) \"$1\"", frame: 0.1)
  }
}

import AVFormat
import Foundation
import ProcessTesting
import SoundAlignment
import Testing
import Timekeeping

/// A party's film, another copy of it, and the expected alignment.
struct CopyPair: Sendable, CustomTestStringConvertible {
  /// A part that both copies have, in seconds on the party's timeline, and the own copy's offset in it.
  struct Part: Sendable {
    var start: Double
    var end: Double
    var offset: Double
  }

  enum Expectation: Sendable {
    case aligned([Part], scale: Double = 1, within: Double = 0.010)
    case refused
  }

  var name: String
  /// The party's sound; nil for ``film``.
  var party: (@Sendable () -> [Float])?
  var own: @Sendable () -> [Float] = { Self.film }
  /// The arguments of ffmpeg that encode the own copy, and the extension of its format.
  var arguments = aac
  var format = "mp4"
  var expectation = Expectation.aligned([Part(start: 0, end: length, offset: 0)])

  static let length = 240.0
  static let film = SyntheticSound.film(seconds: length, seed: 1)

  var testDescription: String { name }

  private static let folder = RunFolder.make("copy-pairs")

  /// Makes both files, and aligns them.
  func align() throws -> Aligner.Outcome {
    let name = name.filter { $0.isLetter || $0.isNumber }
    let partys = try party.map { try Self.outline("party-\(name)", $0(), Self.aac, "mp4") }
    let own = try Self.outline("own-\(name)", own(), arguments, format)
    return Aligner.align(own: own, partys: try partys ?? Self.filmOutline.get())
  }

  static let aac = ["-c:a", "aac", "-aac_coder", "fast", "-b:a", "160k"]
  private static let filmOutline = Result { try outline("film", film, aac, "mp4") }

  /// Encodes sound to a file, and reads that.
  static func outline(
    _ name: String, _ samples: [Float], _ arguments: [String], _ format: String
  ) throws -> SoundOutline {
    let file = try make(name, samples, arguments, format)
    defer { try? FileManager.default.removeItem(at: file) }
    let reader = try SoundReader(path: file.path)
    var maker = SoundOutlineMaker()
    while let samples = try reader.next() { maker.add(samples) }
    return maker.finish()
  }

  private static func make(
    _ name: String, _ samples: [Float], _ arguments: [String], _ format: String
  ) throws -> URL {
    let sound = folder.appendingPathComponent("\(name).wav")
    let file = folder.appendingPathComponent("\(name).\(format)")
    try samples.writeWAV(sound)
    defer { try? FileManager.default.removeItem(at: sound) }
    try ChildProcess.run(
      ["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", sound.path] + arguments + [file.path])
    return file
  }

  /// The errors of an alignment in seconds.
  struct Errors: CustomStringConvertible {
    /// The largest error of a position that is a second away from all cuts.
    var position = 0.0
    /// The largest error of a cut.
    var cut = 0.0

    var description: String {
      "\(Int((position * 1000).rounded())) ms, cuts \(Int((cut * 1000).rounded())) ms"
    }
  }

  static func errors(_ alignment: CopyAlignment, _ parts: [Part], scale: Double) -> Errors {
    var errors = Errors()
    for part in parts {
      for time in stride(from: part.start + 1, to: part.end - 1, by: 0.7) {
        let own = alignment.own(at: MediaTime(seconds: time))
        let error = own.map { abs($0.seconds - (time * scale + part.offset)) }
        errors.position = max(errors.position, error ?? .infinity)
      }
    }
    guard alignment.pieces.count == parts.count else {
      errors.cut = .infinity
      return errors
    }
    for (piece, part) in zip(alignment.pieces, parts) {
      errors.cut = max(
        errors.cut, abs(piece.begin.seconds - part.start), abs(piece.end.seconds - part.end))
    }
    return errors
  }
}

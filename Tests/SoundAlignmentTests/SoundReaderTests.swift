import AVFormat
import Foundation
import ProcessTesting
import Testing
import Timekeeping

@Suite("SoundReader")
struct SoundReaderTests {
  private static let folder = RunFolder.make("sound-reader")

  private static func make(_ name: String, _ arguments: [String]) throws -> String {
    let file = folder.appendingPathComponent(name).path
    try ChildProcess.run(["ffmpeg", "-nostdin", "-v", "error", "-y"] + arguments + [file])
    return file
  }

  private static func read(_ path: String) throws -> [Float] {
    let reader = try SoundReader(path: path)
    var samples: [Float] = []
    while let next = try reader.next() { samples += next }
    return samples
  }

  private static let noise = ["-f", "lavfi", "-i", "anoisesrc=d=6:r=48000:a=0.5:seed=3"]

  /// Returns the seconds between which a second of silence lies.
  private static func silence(_ samples: [Float]) -> (start: Double, end: Double)? {
    var start = 0
    for (index, sample) in samples.enumerated() where abs(sample) > 0.001 {
      if index - start > SoundReader.rate { return (Double(start) / 8000, Double(index) / 8000) }
      start = index
    }
    return nil
  }

  @Test("A gap of the time stamps is silence")
  func gap() throws {
    let film = try Self.make(
      "gap.mkv",
      Self.noise + ["-af", "asetpts=PTS+if(gte(T\\,3)\\,2/TB\\,0)", "-c:a", "pcm_s16le"])
    let samples = try Self.read(film)
    #expect(abs(Double(samples.count) / 8000 - 8) < 0.05)
    let silence = try #require(Self.silence(samples))
    #expect(abs(silence.start - 3) < 0.05)
    #expect(abs(silence.end - 5) < 0.05)
  }

  @Test("Sound that begins after the picture has its position")
  func lateSound() throws {
    let film = try Self.make(
      "late.mkv",
      [
        "-f", "lavfi", "-i", "color=s=32x32:r=25:d=9", "-itsoffset", "2",
      ] + Self.noise + ["-map", "0:v", "-map", "1:a", "-c:v", "libx264", "-c:a", "flac"])
    let samples = try Self.read(film)
    let silence = try #require(Self.silence(samples))
    #expect(silence.start == 0)
    #expect(abs(silence.end - 2) < 0.01)
  }

  @Test("The default track is read")
  func defaultTrack() throws {
    let film = try Self.make(
      "tracks.mkv",
      ["-f", "lavfi", "-i", "anullsrc=r=48000:cl=mono:d=6"] + Self.noise + [
        "-map", "0:a", "-map", "1:a", "-t", "6", "-c:a", "flac", "-disposition:a:0", "0",
        "-disposition:a:1", "default",
      ])
    #expect(try Self.read(film).contains { abs($0) > 0.01 })
  }

  @Test("A film without a sound track is an error")
  func noSound() throws {
    let film = try Self.make(
      "mute.mkv", ["-f", "lavfi", "-i", "color=s=32x32:r=25:d=2", "-c:v", "libx264"])
    #expect(throws: FragmentError.noSound) { try SoundReader(path: film) }
  }

  @Test("A cancelled probe ends the reading")
  func cancellation() throws {
    let film = try Self.make("cancelled.mkv", Self.noise + ["-c:a", "flac"])
    let probe = StreamProbe.unlimited
    let reader = try SoundReader(path: film, probe: probe)
    _ = try reader.next()
    probe.cancel()
    #expect(throws: FragmentError.interrupted) { while try reader.next() != nil {} }
  }
}

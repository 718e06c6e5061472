import Foundation
import GroupActivities
import ProcessTesting
import Testing

/// Several copies of one film, aligned by their sound, in real programs.
@Suite("Other copies of a film, end to end", .serialized)
struct AlignedCopiesTests {
  /// Makes a film of noise with a loudness that never repeats, and returns its path.
  ///
  /// - Parameters:
  ///   - parts: the seconds of the sound; negative ones belong to another film.
  private static func make(
    _ name: String, of parts: [Range<Int>], codec: String
  ) throws -> String {
    // A copy beside the one that a user names is found by its content.
    let folder = try Clips.newFolder("copy")
    var samples: [Int16] = []
    for part in parts {
      for tenth in part.lowerBound * 10..<part.upperBound * 10 {
        var dice = RandomSource.seeded(UInt64(bitPattern: Int64(tenth)))
        let loudness = Double.random(in: 0...1, using: &dice)
        let level = 12_000 * loudness * loudness * loudness
        samples += (0..<2205).map { _ in Int16(level * .random(in: -1...1, using: &dice)) }
      }
    }
    let sound = folder.appendingPathComponent(name + ".s16")
    try samples.withUnsafeBytes { try Data($0).write(to: sound) }
    let path = folder.appendingPathComponent(name).path
    try Clips.ffmpeg([
      "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25", "-f", "s16le", "-ar", "22050", "-ac", "1",
      "-i", sound.path, "-shortest", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-c:a",
      codec, path,
    ])
    return path
  }

  @Test("Three copies of one film play in step, through a part that one of them lacks")
  func copies() async throws {
    let film = try Self.make("film.mkv", of: [0..<150], codec: "aac")
    let longer = try Self.make("longer.mkv", of: [-12..<0, 0..<150], codec: "libopus")
    let cut = try Self.make("cut.mp4", of: [0..<60, 85..<150], codec: "libmp3lame")
    let other = try Self.make("other.mkv", of: [1000..<1150], codec: "aac")
    let (ana, invite) = try await MatineeProcess.host(film: film)
    let ben = try MatineeProcess(["join", invite, longer, "--same-film", "--name", "Ben"])
    let notice = try await ben.next("notice") {
      $0.string("message")?.contains("is the party's film") == true
    }
    #expect(notice.string("message")?.contains(": +12.0 s. ") == true)
    _ = try await ben.next("opened")
    let chi = try MatineeProcess(["join", invite, cut, "--name", "Chi"])
    #expect(try await chi.next("share").string("difference") == "25 s shorter")
    try chi.send("allow")
    _ = try await chi.next("notice") { $0.string("message")?.contains("and a cut") == true }
    _ = try await chi.next("opened")

    try ana.send("play")
    for one in [ana, ben, chi] { _ = try await one.state(where: \.isInStep) }
    // Chi's copy has nothing of this.
    try ben.send("seek 61")
    _ = try await chi.state { $0.fields["suspensions"] as? [String] == ["notInCopy"] }
    for one in [ana, ben] {
      _ = try await one.state { $0.isInStep && $0.number("playerPosition") ?? 0 > 61 }
    }
    for one in [ana, ben, chi] {
      _ = try await one.state { $0.isInStep && $0.number("playerPosition") ?? 0 > 85 }
    }
    // The same offset, by hand and remembered by this program.
    try ben.send("offset 12.1")
    _ = try await ben.next("notice") { $0.string("message")?.contains("+12.1 s") == true }
    for one in [ana, ben] { _ = try await one.state(where: \.isInStep) }
    try chi.send("seek 148")
    for one in [ana, ben, chi] {
      _ = try await one.state {
        $0.string("status") == "paused" && $0.number("playerPosition") ?? 0 > 149
      }
    }

    let dan = try MatineeProcess(["join", invite, other, "--same-film", "--name", "Dan"])
    let refusal = try await dan.next("error") {
      $0.string("message")?.contains("isn't the party's film") == true
    }
    #expect(refusal.string("message")?.contains("% of the sound agrees") == true)
    for one in [dan, chi, ben, ana] { #expect(try await one.quit() == 0) }
  }
}

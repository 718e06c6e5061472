import Foundation
import Testing
import Timekeeping

@testable import GroupActivities
@testable import Screening

@Suite("Tracks: chosen by hand, and shared")
struct TrackTests {
  private typealias Base = ScreeningMachineTests
  private typealias Track = PlayerFacts.Track

  private static func tracks(
    _ audio: String?, _ subtitles: String?, off: Bool = false
  ) -> [PlayerFacts.Track] {
    [
      Track(kind: .audio, language: audio, isSelected: true),
      Track(kind: .subtitles, language: subtitles, isSelected: !off),
    ]
  }

  @Test("Only a change of the tracks within a film is the user's choice")
  func memory() {
    var memory = TrackMemory()
    #expect(memory.note(Self.tracks("en", "de"), of: "1") == nil)
    #expect(memory.note(Self.tracks("en", "de"), of: "1") == nil)
    #expect(memory.note(Self.tracks("fr", "de"), of: "1")?.audio == "fr")
    #expect(memory.note([], of: nil) == nil)
    #expect(memory.note(Self.tracks("es", "it"), of: "2") == nil)
    #expect(memory.note(Self.tracks("es", "it", off: true), of: "2")?.areSubtitlesOff == true)
    let chosen = memory.note(Self.tracks("es", "it"), of: "2")
    #expect(chosen?.areSubtitlesOff == false && chosen?.subtitles == "it")
    // Without sound the last choice stays.
    #expect(memory.note([Self.tracks("es", "it")[1]], of: "2") == nil)
    #expect(memory.preferred.audio == "fr")
  }

  private static let ben = Participant.ID(high: 7, low: 7)

  private static func subtitles(
    _ number: Int, for film: String, by owner: Participant.ID = ben
  ) -> SharedSubtitles {
    SharedSubtitles(
      id: UUID(), owner: owner,
      description: .init(film: film, name: "\u{1B}\(number).srt", language: "x,y"),
      text: SubtitleText([]))
  }

  @Test("Subtitles of others are for their film, and limited in number")
  func limits() {
    var sharing = SubtitleSharing()
    for number in 0..<9 {
      for owner in 1...6 {
        let id = Participant.ID(high: 7, low: UInt64(owner))
        sharing.arrived(Self.subtitles(number, for: "film", by: id))
      }
    }
    sharing.arrived(Self.subtitles(0, for: "other"))
    let loaded = sharing.load(for: "film")
    #expect(loaded.count == 16)
    #expect((1...6).allSatisfy { low in loaded.count { $0.owner.low == low } <= 4 })
    #expect(loaded[0].description.name == "0.srt" && loaded[0].description.language == nil)
    #expect(sharing.load(for: "film").isEmpty)
    #expect(sharing.load(for: "other").count == 1)
    sharing.filmOpens()
    #expect(sharing.load(for: "film").count == 16)
  }

  @Test("The player adds subtitles when they come, and each time their film is opened")
  func adds() throws {
    var machine = Base.member("a", "b")
    machine.know(Base.reading(party: Base.party()))
    func added(_ effects: [ScreeningMachine.Effect]) -> Int {
      effects.count {
        if case .attempt(let effects, orElse: .nothing) = $0,
          case .player(.addSubtitles)? = effects.first
        {
          true
        } else {
          false
        }
      }
    }
    let first = try machine.handle(.share(.subtitles(Self.subtitles(1, for: "a"))), at: Base.now)
    #expect(added(first) == 1)
    let other = try machine.handle(.share(.subtitles(Self.subtitles(1, for: "b"))), at: Base.now)
    #expect(added(other) == 0)
  }

  @Test("A file that the user adds is a question, once; those beside the film aren't")
  func question() throws {
    var machine = Base.member("a")
    var party = Base.party()
    party.participants = [Base.me, Self.ben].map { Participant(id: $0, name: "\($0.low)") }
    var reading = Base.reading(party: party)
    reading.player.isLoaded = true
    func with(_ files: String...) throws -> ShareQuestion? {
      reading.player.tracks = files.map {
        Track(kind: .subtitles, language: nil, file: $0, isSelected: $0 == files.last)
      }
      machine.know(reading)
      return machine.shareQuestion
    }
    #expect(throws: ShareProblem.noSubtitles) { try machine.shareSubtitles(nil) }
    #expect(try with("/a.srt") == nil)
    let film = try #require(machine.filmMachine.film)
    #expect(try with("/a.srt", "/b.srt") == .giveSubtitles("/b.srt", of: film))
    _ = try machine.handle(.command(.answer(false, forGood: false)), at: Base.now)
    #expect(try with("/a.srt", "/b.srt") == nil)
    #expect(try with("/a.srt", "/b.srt", "/c.srt") == .giveSubtitles("/c.srt", of: film))
    let effects = try machine.handle(.command(.answer(true, forGood: false)), at: Base.now)
    #expect(effects.contains(.share(.giveSubtitles("/c.srt", of: film))))
    #expect(machine.shareQuestion == nil)
    #expect(try machine.shareSubtitles(nil) == [.share(.giveSubtitles("/c.srt", of: film))])
  }
}

import Foundation
import GroupActivities
import PlaybackCoordination
import Testing
import Timekeeping

@testable import Screening

@Suite("The lines in the chat about events")
struct NarratorTests {
  private static let ana = Participant(id: .init(high: 0, low: 1), name: "Ana", role: .host)
  private static let ben = Participant(id: .init(high: 0, low: 2), name: "Ben")
  private static let chi = Participant(id: .init(high: 0, low: 3), name: "Chi")

  /// The current lines, without replaced ones.
  private struct Story {
    var narrator = Narrator()
    var context = Narrator.Context()
    var now = HostTime(nanoseconds: 0)
    private(set) var lines: [(id: Int, text: String)] = []

    init(me: Participant = NarratorTests.ben) {
      context.me = me.id
      context.hasFilm = true
    }

    var texts: [String] { lines.map(\.text) }

    mutating func report(_ events: ScreeningEvent..., after pause: Duration = .milliseconds(100)) {
      for event in events {
        now = now + pause
        for line in narrator.narrate(event, context, at: now) {
          if let index = lines.firstIndex(where: { $0.id == line.id }) {
            lines[index].text = line.narration.sentence
          } else {
            lines.append((line.id, line.narration.sentence))
          }
        }
      }
    }

    mutating func command(
      _ kind: CoordinatedChange.Kind, _ seconds: Double, by who: Participant = NarratorTests.ana,
      rate: Double = 1, after pause: Duration = .milliseconds(100)
    ) {
      report(
        .command(
          CoordinatedChange(
            kind: kind, originator: who.id, itemTime: MediaTime(seconds: seconds), rate: rate),
          by: who.name), after: pause)
    }
  }

  private static func activity(_ title: String) -> ScreeningEvent.Film {
    .init(item: title, title: title, url: nil)
  }

  @Test("A person from an earlier party is announced, but not on the same day")
  func met() {
    var story = Story()
    let before = ScreeningEvent.Encounter(name: "Ana", last: Date(timeIntervalSince1970: 0))
    story.context.today = "1970-01-01"
    story.report(.met(.init(Self.ana), before))
    #expect(story.texts == [])
    story.context.today = "1970-01-02"
    story.report(.met(.init(Self.ana), before))
    #expect(story.texts == ["You've met Ana before (1970-01-01)"])
  }

  @Test("Outside a party only a user who can't see the screen reads about the user's own commands")
  func alone() {
    for isHeard in [false, true] {
      var story = Story()
      story.narrator = Narrator(isHeard: isHeard)
      story.context.me = nil
      story.command(.play, 0)
      #expect(story.texts.count == (isHeard ? 1 : 0))
    }
  }

  @Test("An announced action is a line; the same one again within ten seconds isn't another")
  func notices() {
    var story = Story()
    story.report(.action(.init(.queued, title: "Orbits"), by: .init(Self.ana)))
    for _ in 0..<5 { story.report(.action(.init(.queueChanged), by: .init(Self.ana))) }
    story.report(.action(.init(.queueChanged), by: .init(Self.chi)))
    story.report(.action(.init(.queueChanged), by: .init(Self.chi)), after: .seconds(11))
    story.report(.action(.init(.upNext, title: "Tides"), by: .init(Self.ana)))
    #expect(
      story.texts == [
        "Ana added Orbits to the playlist", "Ana changed the playlist", "Chi changed the playlist",
        "Chi changed the playlist", "Ana put Tides next in the playlist",
      ])
  }

  // MARK: - Commands

  @Test("Each press of a seek key updates one line")
  func seeks() {
    var story = Story()
    for step in 1...18 { story.command(.seek, Double(step) * 5) }
    #expect(story.texts == ["Ana went to 1:30"])
    story.command(.seek, 300, after: .seconds(6))
    #expect(story.texts == ["Ana went to 1:30", "Ana went to 5:00"])
  }

  @Test("Another participant's seek, or a line of chat, begins another line")
  func interruptedSeeks() {
    var story = Story()
    story.command(.seek, 30)
    story.command(.seek, 60, by: Self.ben)
    story.command(.seek, 90, by: Self.ben)
    story.report(.chat(.init(Self.chi), "stop that"))
    story.command(.seek, 120, by: Self.ben)
    #expect(
      story.texts == ["Ana went to 0:30", "Ben went to 1:30", "Chi: stop that", "Ben went to 2:00"])
  }

  @Test("Pausing and stepping through frames is one line, and so is a pause that is undone")
  func frames() {
    var story = Story()
    story.command(.pause, 30)
    for step in 1...20 { story.command(.seek, 30 + Double(step) / 25) }
    #expect(story.texts == ["Ana paused at 0:30"])
    story.command(.play, 30.8)
    #expect(story.texts == ["Ana pressed play at 0:30"])
    story.command(.pause, 45, after: .seconds(14))
    story.command(.play, 45)
    #expect(story.texts == ["Ana pressed play at 0:30", "Ana pressed play"])
  }

  @Test("A change of speed is shown once the speed has settled")
  func speed() {
    var story = Story()
    for rate in [1.1, 1.21, 1.33] { story.command(.rate, 30, rate: rate) }
    #expect(story.texts == ["Ana set the speed to 1.33×"])
    story.command(.seek, 60)
    #expect(story.texts.last == "Ana went to 1:00")
  }

  @Test("A seek to the film's current position, and one that opening causes, aren't shown")
  func seekToTheSamePosition() {
    var story = Story()
    story.report(.activity(Self.activity("Life"), by: "Ana", .chosen))
    story.command(.seek, 0, by: Self.ben, after: .seconds(20))
    #expect(story.texts == ["Ana opened Life"])
    story.command(.pause, 30, after: .seconds(20))
    story.command(.seek, 30.2, by: Self.ben, after: .seconds(20))
    #expect(story.texts == ["Ana opened Life", "Ana paused at 0:30"])
    var opening = Story()
    opening.report(.opened(item: "x", title: "Life"))
    opening.command(.seek, 0, by: Self.ben)
    #expect(opening.texts == [])
    opening.command(.seek, 0, by: Self.ben, after: .seconds(20))
    #expect(opening.texts == ["Ben went to 0:00"])
  }

  @Test("Only the participant who presses play reads who doesn't have the film")
  func withoutFilm() {
    for (me, isTold) in [(Self.ana, true), (Self.ben, false)] {
      var story = Story(me: me)
      story.context.withoutFilm = ["Chi"]
      story.command(.play, 0)
      #expect(
        story.texts == ["Ana pressed play"] + (isTold ? ["Chi doesn't have the film yet"] : []))
    }
    var crowd = Story(me: Self.ana)
    crowd.context.withoutFilm = ["Ben", "Chi", "Dee", "Eve"]
    crowd.command(.play, 0)
    #expect(crowd.texts.last == "Ben, Chi and 2 others don't have the film yet")
  }

  // MARK: - The film's end

  @Test("At a film's end one line says so, and no seek or pause is shown")
  func endOfFilm() {
    var story = Story()
    story.command(.ended, 120, by: Self.chi)
    story.report(.ended(continues: false))
    story.command(.ended, 120, by: Self.ana)
    story.command(.seek, 120, by: Self.chi)
    story.report(.ended(continues: false))
    #expect(story.texts == ["The film is over"])
    // The film again from its beginning.
    story.command(.seek, 0)
    story.command(.play, 0)
    #expect(story.texts == ["The film is over", "Ana pressed play at 0:00"])
    story.report(.ended(continues: false), after: .seconds(120))
    #expect(story.texts.last == "The film is over" && story.texts.count == 3)
  }

  @Test(
    "A playlist's own advance names no participant, and neither does the start of its next film")
  func playlist() {
    var story = Story()
    story.report(.ended(continues: true))
    story.command(.ended, 120, by: Self.chi)
    story.report(
      .activity(Self.activity("S01E02"), by: "Chi", .following),
      .activity(Self.activity("S01E02"), by: "Ben", .following))
    story.command(.proposed, 0, by: Self.chi)
    story.command(.play, 0, by: Self.chi)
    #expect(story.texts == ["Next: S01E02"])
    story.command(.pause, 2, after: .seconds(2))
    story.command(.play, 2, by: Self.ben, after: .seconds(2))
    #expect(story.texts == ["Next: S01E02", "Ana paused at 0:02", "Ben pressed play"])
  }

  // MARK: - People

  @Test("A newcomer reads who is here and the current film, not that they joined")
  func newcomer() {
    var story = Story()
    story.report(
      .joined(.init(Self.ben), isHost: false), .participantJoined(.init(Self.ana), wasHere: true),
      .participantJoined(.init(Self.chi), wasHere: true),
      .activity(Self.activity("Life"), by: "Ana", .current))
    #expect(
      story.texts == ["You joined as Ben", "Ana and Chi are here", "The party is watching Life"])
    story.report(
      .participantJoined(.init(id: .init(high: 0, low: 9), name: "Dee"), wasHere: false))
    #expect(story.texts.last == "Dee joined")
  }

  @Test("A host sees no line about opening the party's own film")
  func host() {
    var story = Story(me: Self.ana)
    story.report(
      .joined(.init(Self.ana), isHost: true), .activity(Self.activity("Life"), by: "Ana", .own))
    #expect(story.texts == [])
  }

  @Test("A participant that lost the connection is shown as back, not as joined")
  func back() {
    var story = Story()
    story.report(.participantLeft(.init(Self.chi), announced: false))
    story.report(.participantJoined(.init(Self.chi), wasHere: true), after: .seconds(20))
    #expect(story.texts == ["Chi lost connection", "Chi is back"])
  }

  // MARK: - The party's end

  @Test("A party that its host closes is one line")
  func closed() {
    var story = Story()
    story.report(
      .participantLeft(.init(Self.ana), announced: true), .partyClosed(by: "Ana"),
      .left(closing: false))
    #expect(story.texts == ["Ana closed the party. You keep watching alone."])
    story.context.hasFilm = false
    story.report(.partyClosed(by: "Ana"), after: .seconds(60))
    #expect(story.texts.last == "Ana closed the party.")
  }

  @Test("A participant who was removed isn't shown as having left")
  func removed() {
    var story = Story()
    story.context.partyEnding = .removed(by: "Ana")
    story.report(.left(closing: false))
    #expect(story.texts == ["Ana removed you from the party."])
    story.context.partyEnding = nil
    story.report(.left(closing: false), after: .seconds(60))
    #expect(story.texts.last == "You left the party")
  }

  @Test("A lost connection and its return are shown")
  func disconnected() {
    var story = Story()
    story.context.isPlaying = true
    story.report(.disconnected("Connection Closed"), .connected("127.0.0.1:1"))
    #expect(
      story.texts == ["Connection lost. The film keeps playing; reconnecting…", "Reconnected"])
  }

  @Test("An interface that was too slow shows how many events it missed")
  func missed() {
    var story = Story()
    story.report(.missed(3))
    #expect(story.texts == ["3 events are missing here: this interface was too slow"])
  }
}

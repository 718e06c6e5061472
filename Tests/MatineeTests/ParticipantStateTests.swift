import Foundation
import GroupActivities
import Screening
import TerminalUI
import Testing
import Timekeeping
import WatchTogether

@testable import Faces
@testable import MPVPlayer
@testable import MatineeCommands
@testable import MatineeKit
@testable import PlaybackCoordination

@Suite("The participant's state on the screen")
struct ParticipantStateTests {
  private let film = FilmIdentity(
    identifier: "hash:blue", title: "Blue", location: "/films/Blue.mkv")
  private let other = FilmIdentity(
    identifier: "hash:red", title: "Red", location: "/films/Red.mkv")

  private func status(
    _ reasons: [String] = [], isInParty: Bool = true,
    _ body: (inout ProgramStatus) -> Void = { _ in }
  ) throws -> ProgramStatus {
    var player = PlayerSnapshot()
    player.isLoaded = true
    let coordinator = CoordinatorSnapshot(
      currentItemIdentifier: film.identifier, status: .playing, rate: 2,
      itemTime: MediaTime(seconds: 94),
      suspensionReasons: reasons.map { .init(rawValue: $0) }, otherParticipants: [],
      groupItemTime: MediaTime(seconds: 100))
    var random = SystemRandomNumberGenerator()
    let list = Playlist(PlaylistEntry(film, using: &random), at: nil, using: &random)
    var status = ProgramStatus(
      film: film, activity: FilmActivity(list), player: player,
      shownPlayer: player, coordinator: coordinator,
      latencyOffset: LatencyOffset(clamping: .zero))
    if isInParty {
      let party = try #require(Participant.ID("00112233445566778899aabbccddeeff"))
      let address = try #require(Invite.Address("10.0.0.2:62846"))
      status.invite = Invite(addresses: [address], party: party, secret: PartySecret())
      status.link.isUp = true
    }
    body(&status)
    return status
  }

  @Test("Who stepped away and saw the film's end is at the end, however long ago that was")
  func end() throws {
    var player = PlayerSnapshot()
    player.isLoaded = true
    player.duration = MediaTime(seconds: 90)
    let ended = try status(["steppedAway"]) { $0.player = player }
    let end = MediaTime(seconds: 90)
    #expect(ParticipantState(ended) == .steppedAway(at: end, group: end))
  }

  @Test("In step with the group, or without a party, there is no state")
  func none() throws {
    #expect(ParticipantState(try status()) == nil)
    #expect(ParticipantState(try status(isInParty: false)) == nil)
  }

  @Test("The film that continues the last one is offered, also outside a party")
  func sequel() throws {
    for isInParty in [false, true] {
      let over = try status(isInParty: isInParty) {
        $0.sequel = "The.Show.S01E02.1080p.WEB.x264-GRP"
      }
      #expect(ParticipantState(over) == .sequel("The Show S01E02"))
      #expect(WindowCompanion.lastingNotice(over) == "Next: The Show S01E02. > plays it.")
    }
  }

  @Test("Each reason to be apart is one state")
  func each() throws {
    let (own, group) = (MediaTime(seconds: 94), MediaTime(seconds: 100))
    #expect(ParticipantState(try status(["steppedAway"])) == .steppedAway(at: own, group: group))
    #expect(
      ParticipantState(try status(["whatHappened"])) == .catchingUp(behind: .seconds(6), rate: 2))
    #expect(ParticipantState(try status(["readyCheck"])) == .notReady)
    #expect(
      ParticipantState(
        try status([
          CoordinatedPlaybackSuspension.Reason.coordinatedPlaybackNotPossible.rawValue
        ])) == .unable)
    #expect(
      ParticipantState(
        try status([CoordinatedPlaybackSuspension.Reason.userIsChangingCurrentTime.rawValue]))
        == .previewing(at: own, group: group))
    #expect(
      ParticipantState(
        try status([CoordinatedPlaybackSuspension.Reason.stallRecovery.rawValue])) == nil)
    #expect(ParticipantState(try status { $0.isInTrailer = true }) == .trailer)
    #expect(
      ParticipantState(try status { $0.link.isUp = false }) == .reconnecting(remaining: nil))
    let closed = try status(isInParty: false) { $0.partyEnding = .closed(by: "Ana") }
    #expect(
      ParticipantState(closed, canRejoin: true)
        == .partyClosed("Ana closed the party.", canRejoin: true))
  }

  @Test("A removal and a lost connection stay on the screen, and a removed guest doesn't rejoin")
  func endings() throws {
    let removed = try status(isInParty: false) { $0.partyEnding = .removed(by: "Ana") }
    #expect(
      ParticipantState(removed, canRejoin: true)
        == .partyClosed("Ana removed you from the party.", canRejoin: false))
    #expect(WindowCompanion.lastingNotice(removed) == nil, "nothing in the window dismisses it")
    let lost = try status(isInParty: false) { $0.partyEnding = .failed("the relay has stopped") }
    #expect(
      ParticipantState(lost, canRejoin: true)
        == .partyClosed("Disconnected: the relay has stopped.", canRejoin: true))
  }

  @Test("A film that isn't open here, or another one, is a state until it is being opened")
  func copy() throws {
    #expect(ParticipantState(try status { $0.film = nil }) == .needsCopy(of: "Blue"))
    #expect(ParticipantState(try status { $0.film = other }) == .needsCopy(of: "Blue"))
    let declined = try status {
      $0.film = nil
      $0.undecidedServer = "192.0.2.2"
    }
    #expect(ParticipantState(declined) == .notLoaded(from: "192.0.2.2"))
    let alone = try status {
      $0.film = other
      $0.isAlone = true
    }
    #expect(ParticipantState(alone) == .watchingAlone(party: "Blue"))
    let opening = try status {
      $0.film = nil
      $0.isOpening = true
    }
    #expect(ParticipantState(opening) == nil)
  }

  @Test("A guest without the party's film shows another one to everyone by its last choice only")
  func otherFilm() {
    func question(
      _ seconds: Double?, mayChoose: Bool = true, size: Int? = nil, partysSize: Int? = nil
    ) -> QuestionModel {
      var film = FilmIdentity(identifier: "c", title: "Cut", location: "/Cut.mkv")
      film.fileSize = size
      let comparison = seconds.map {
        CopyComparison(
          film: film,
          partys: PlaylistEntry(
            id: 1, identifier: "b", title: "Blue", location: nil, fileSize: partysSize),
          length: MediaTime(seconds: $0), partysLength: MediaTime(seconds: 120))
      }
      return QuestionModel(id: "1", film: "Cut", comparison: comparison, mayChoose: mayChoose)
    }
    #expect(question(nil).choices.map(\.id) == ["everyone", "me", "cancel"])
    let other = question(90)
    #expect(other.text == "“Cut” isn't the party's film, “Blue” (2:00, yours 1:30).")
    #expect(other.choices.map(\.id) == ["cancel", "me", "everyone"] && other.initialChoice == 0)
    #expect(question(90, mayChoose: false).choices.map(\.id) == ["cancel", "me"])
    #expect(
      question(90, size: 10_400_000, partysSize: 46_900_000).text
        == "“Cut” isn't the party's film, “Blue” (party 2:00, 47 MB; yours 1:30, 10 MB).")
    #expect(question(90, size: 10_400_000).text == other.text, "the party's film may be a stream")
    let asLong = question(118, mayChoose: false)
    #expect(asLong.choices.map(\.id) == ["cancel", "use", "me"] && asLong.initialChoice == 0)
  }

  @Test("Of several states the one that needs the user's action comes first")
  func several() throws {
    let status = try status(["steppedAway", "readyCheck"]) { $0.film = nil }
    #expect(ParticipantState.all(status).count == 3)
    #expect(ParticipantState(status) == .needsCopy(of: "Blue"))
  }
}

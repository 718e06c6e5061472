import Foundation
import GroupActivities
import Screening
import TerminalUI
import Testing
import Timekeeping
import WatchTogether

@testable import MPVPlayer
@testable import PlaybackCoordination
@testable import matinee

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
        == .partyClosed("Lost the party: the relay has stopped.", canRejoin: true))
  }

  @Test("A film that isn't open here, or another one, is a state until it is being opened")
  func copy() throws {
    #expect(ParticipantState(try status { $0.film = nil }) == .needsCopy(of: "Blue"))
    #expect(ParticipantState(try status { $0.film = other }) == .needsCopy(of: "Blue"))
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

  @Test("Of several states the one that needs the user's action comes first")
  func several() throws {
    let status = try status(["steppedAway", "readyCheck"]) { $0.film = nil }
    #expect(ParticipantState.all(status).count == 3)
    #expect(ParticipantState(status) == .needsCopy(of: "Blue"))
  }
}

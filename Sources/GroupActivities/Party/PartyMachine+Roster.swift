import Foundation
import Timekeeping

/// The comparison of rosters in a party in which beacons are rare. The reference, which is heard often, sends
/// a short digest of its roster, and a participant whose roster differs compares it with the reference's.
extension PartyMachine {
  /// The largest number of participants in one answer.
  private static let answerLimit = 32
  private static let waitPerParticipant = Duration.milliseconds(20)
  private static let pausePerParticipant = Duration.milliseconds(40)
  private static let shortestPause = Duration.seconds(2)

  private var comparesRosters: Bool { joinedAt != nil && rosterPolicy.comparesRosters }

  /// The digest of the reference's roster; 0 for none.
  var rosterDigest: UInt64 {
    guard comparesRosters, isReference else { return 0 }
    return UInt64(roster.digest(with: configuration.id))
  }

  private var knownHashes: [UInt32] {
    [RosterComparison.hash(configuration.id)] + roster.presentHashes
  }

  mutating func compareRoster(_ beacon: Beacon, of sender: Participant.ID, at now: HostTime) {
    guard sender == keeper.known, comparesRosters, beacon.roster != 0 else { return }
    guard beacon.roster != UInt64(roster.digest(with: configuration.id)) else {
      return presence.rosterDoubt.rosterAgrees()
    }
    let dice = Double.random(in: 0...1, using: &random)
    presence.rosterDoubt.rosterDiffers(
      at: now, pause: max(Self.shortestPause, Self.pausePerParticipant * participantCount),
      wait: Self.waitPerParticipant * participantCount * dice)
  }

  mutating func askAboutRoster(at now: HostTime) -> [PartyAction] {
    guard presence.rosterDoubt.questionDue(at: now), comparesRosters, let reference = keeper.known,
      !isReference
    else {
      return []
    }
    return [
      .send(
        .roster(RosterComparison(known: knownHashes)), sequence: 0,
        to: .only(reference))
    ]
  }

  /// Sends the beacons of the participants that the other one doesn't know, and asks in turn.
  mutating func comparisonReceived(
    _ comparison: RosterComparison, from sender: Participant.ID, at now: HostTime
  ) -> [PartyAction] {
    guard comparesRosters, pays(sender, 10, at: now) else { return [] }
    guard comparison.purpose != .showYourself else {
      guard presence.schedule.sentAt.map({ now - $0 >= Self.shortestPause }) ?? true else {
        return []
      }
      return tellNews(at: now)
    }
    let theirs = Set(comparison.known)
    let unknownToThem = roster.present(notAmong: theirs).filter { $0.id != sender }
      .prefix(Self.answerLimit)
    var actions: [PartyAction] = Originals.messages(
      of: unknownToThem.map(\.beaconSource.original).filter { !$0.isEmpty }
    ).map { .send(.originals($0), sequence: 0, to: .only(sender)) }
    // A participant that was met in person proved to this one that it is alive, which proves nothing to
    // another.
    actions += unknownToThem.filter(\.beaconSource.original.isEmpty).map {
      .send(
        .roster(RosterComparison(known: [], purpose: .showYourself)), sequence: 0,
        to: .only($0.id))
    }
    let mine = knownHashes
    if comparison.purpose == .question, !theirs.isSubset(of: mine) {
      presence.rosterDoubt.asked(at: now)
      actions.append(
        .send(
          .roster(RosterComparison(known: mine, purpose: .answer)), sequence: 0,
          to: .only(sender)))
    }
    return actions
  }
}

import GroupActivities
import WatchTogether

/// The events of a room elsewhere, whose people are the others in the party.
extension ScreeningMachine {
  /// Opens the file at which the room's list is, if it is in this participant's list or beside the film.
  ///
  /// - Parameters:
  ///   - name: the name of the file, without its folder.
  ///   - person: the name of the person who chose it; nil if the room doesn't say.
  mutating func roomListed(_ name: String, by person: String?) -> [Effect] {
    let author = person.map { ", by \(PartyText.clean($0, limit: PartyText.nameLimit))" } ?? ""
    let notice = Effect.report(
      .notice("The room's list is at \(PartyText.clean(name, limit: 100))\(author)."))
    let titles = [name, Sequel.title(name)]
    if let index = list?.entries.firstIndex(where: { titles.contains($0.title) }) {
      do {
        return [notice, .attempt(try watch(at: index), orElse: .report(""))]
      } catch {
        return [notice, .report(.failed("\(error)"))]
      }
    }
    guard let film = filmMachine.film, !film.isStream else { return [notice] }
    choice.wants(name)
    return [notice, .library(.findBeside(film))]
  }

  /// The most co-hosts that a room may have: the party's log of changes has an end.
  private static let roomOperatorLimit = 16

  /// Makes those who control a managed room co-hosts of the party. They are known before they have joined it.
  func appointRoomOperators() -> [Effect] {
    guard let party, party.role == .host, !membership.roomOperators.isEmpty else { return [] }
    let room = max(0, Self.roomOperatorLimit - party.rules.coHosts.count)
    let new = party.participants.filter {
      membership.roomOperators.contains($0.id) && party.rules.role(of: $0.id) == .guest
    }
    return new.prefix(room).map {
      .attempt([.party(.change(.coHost(name: $0.name)))], orElse: .nothing)
    }
  }

  /// - Parameter person: the name of the person who invites.
  mutating func roomInvited(to invite: Invite, by person: String) -> [Effect] {
    // One who has opened a party speaks for it in the room.
    let name = PartyText.clean(person, limit: PartyText.nameLimit)
    guard membership.entrance == .room, membership.invited(to: invite, by: name) else { return [] }
    return [
      .report(
        .notice(
          "\(name) has opened a party for all with Matinee in this room, in step to the millisecond. To take part: /join"
        ))
    ]
  }

  /// Speaks for the room from which this participant came, once the one who did is gone: the host does, or in a party
  /// without one the first of those with a program of their own, which all know.
  mutating func followRoom() -> [Effect] {
    guard let party, let speaker = membership.speaker,
      membership.lacksSpeaker(among: party.participants, at: now)
    else { return [] }
    let present = party.participants.filter { $0.door == nil }
    let next = present.first(where: \.isHost) ?? present.min { $0.id < $1.id }
    guard let next else { return [] }
    membership.speakerChanged(to: next.id)
    guard next.id == party.me else { return [] }
    return [
      .report(.notice("\(name(of: speaker)) is gone: you speak for the room now.")),
      .party(.speakForRoom),
    ]
  }

  /// The name of the person in the room elsewhere who has opened a party for it and is still there; nil for none.
  package var roomHost: String? {
    guard let name = membership.roomHost, let party else { return nil }
    return party.participants.contains { $0.name == name } ? name : nil
  }

  /// Opens the file that the room watches next.
  ///
  /// - Parameter films: the locations of the films beside the one on the screen.
  mutating func openRoomsChoice(among films: [String]) -> [Effect] {
    guard let name = choice.looked() else { return [] }
    guard let location = films.first(where: { $0.split(separator: "/").last ?? "" == name }) else {
      let title = PartyText.clean(name, limit: 100)
      return [.report(.notice("\(title) isn't beside your film. Open your copy: load FILE"))]
    }
    return [.film(.identify(location, .watchTogether, isEntry: true))]
  }
}

import Foundation
import Timekeeping

@testable import NowPlaying

/// The machine with its surroundings: a film of 100 s that plays from 10 s, with every command possible.
struct Desk {
  static let player = MPRISInterface.player.name
  static let root = MPRISInterface.root.name
  static let trackList = MPRISInterface.trackList.name

  var machine = MPRISMachine()
  var now = HostTime(nanoseconds: 1_000_000_000)
  var publication: Publication

  init(status: NowPlayingState.Status = .playing) {
    var film = NowPlayingItem(id: "a", duration: .seconds(100))
    film.nowPlayingInfo.title = "Film"
    publication = Publication(
      description: .init(
        name: "example", identity: "Example", desktopEntry: "example",
        urlSchemes: ["file", "https"],
        mediaTypes: ["video/mp4"]),
      state: NowPlayingState(
        item: film, status: status, elapsedTime: MediaTime(seconds: 10), hostTime: now, volume: 0.5,
        queue: [film, NowPlayingItem(id: "b"), NowPlayingItem(id: "c")]),
      commands: CommandAvailability(
        handled: Set(CommandAvailability.Kind.allCases),
        enabled: Set(CommandAvailability.Kind.allCases), rates: 0.5...2))
  }

  mutating func publish() -> [MPRISMachine.Action] { machine.publish(publication, at: now) }

  /// Advances the time, and sets the state that a player would report then.
  mutating func pass(_ time: Duration) {
    now = now + time
    guard let state = publication.state else { return }
    publication.state?.elapsedTime = state.itemTime(at: now)
    publication.state?.hostTime = now
  }

  func call(
    _ member: String, _ arguments: BusValue..., interface: String? = Desk.player
  ) -> MPRISMachine.Answer {
    machine.answer(
      BusCall(
        path: MPRISInterface.path, interface: interface, member: member,
        signature: arguments.map(\.signature).joined(), arguments: arguments), at: now)
  }

  func get(_ property: String, of interface: String = Desk.player) -> BusValue? {
    guard
      case .reply(let values) = call(
        "Get", .string(interface), .string(property), interface: MPRISInterface.properties.name),
      case .variant(let value)? = values.first
    else { return nil }
    return value
  }

  func set(
    _ property: String, _ value: BusValue, of interface: String = Desk.player
  ) -> MPRISMachine.Answer {
    call(
      "Set", .string(interface), .string(property), .variant(value),
      interface: MPRISInterface.properties.name)
  }

  func all(of interface: String) -> [String: BusValue] {
    guard
      case .reply(let values) = call(
        "GetAll", .string(interface), interface: MPRISInterface.properties.name),
      case .dictionary(let properties)? = values.first
    else { return [:] }
    return properties
  }

  static func changed(
    _ properties: [String: BusValue], invalidated: [String] = [], of interface: String = Desk.player
  ) -> MPRISMachine.Action {
    .signal(
      BusSignal(
        path: MPRISInterface.path, interface: MPRISInterface.properties.name,
        member: "PropertiesChanged",
        arguments: [.string(interface), .dictionary(properties), .strings(invalidated)]))
  }

  static func seeked(_ seconds: Double) -> MPRISMachine.Action {
    .signal(
      BusSignal(
        path: MPRISInterface.path, interface: player, member: "Seeked",
        arguments: [.int64(Int64(seconds * 1e6))]))
  }

  static func trackList(_ member: String, _ arguments: BusValue...) -> MPRISMachine.Action {
    .signal(
      BusSignal(
        path: MPRISInterface.path, interface: trackList, member: member, arguments: arguments))
  }
}

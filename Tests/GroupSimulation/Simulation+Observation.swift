import Timekeeping

@testable import GroupActivities
@testable import PlaybackCoordination

/// What can be seen of a simulated party from outside.
extension Simulation {
  func groupTime(_ index: Int) -> GroupTime {
    let node = nodes[index]
    let host = node.hostTime(at: now)
    let reading = node.hasSession ? node.party.clockReading(at: host) ?? node.lastReading : .alone
    return reading.groupTime(at: host)
  }

  var running: [Int] { nodes.indices.filter { nodes[$0].isRunning } }

  func itemTime(_ index: Int) -> MediaTime {
    nodes[index].player.itemTime(at: nodes[index].hostTime(at: now))
  }

  /// The distance between the first and the last player.
  var spread: Duration {
    let times = running.map(itemTime)
    guard let first = times.min(), let last = times.max() else { return .zero }
    return last - first
  }

  /// How far the participants' ideas of the party's time are apart.
  var clockSpread: Duration {
    let times = running.map(groupTime)
    guard let first = times.min(), let last = times.max() else { return .zero }
    return last - first
  }

  /// Whether everybody holds the same state, knows the same people, and does the same.
  var disagreement: String? {
    let indices = running
    guard let first = indices.first else { return nil }
    let state = nodes[first].coordinator.groupState
    let everybody = Set(indices.map { nodes[$0].id })
    for index in indices {
      let node = nodes[index]
      if node.party.joinedAt == nil { return "\(index) has not arrived" }
      let known = Set(node.party.others.map(\.id)).union([node.id])
      if known != everybody { return "\(index) knows \(known.count) of \(everybody.count)" }
      if !node.hasSession { return "\(index) is in no session" }
      if node.coordinator.groupState != state {
        return "\(index) holds \(String(describing: node.coordinator.groupState)), "
          + "\(first) holds \(String(describing: state))"
      }
      if node.party.session != nodes[first].party.session { return "\(index) has another session" }
      if let state, case .starting = state.phase { return "a start still waits" }
      let isPlaying = state?.isPlaying ?? false
      if (node.player.rate != 0) != isPlaying {
        return "\(index)'s player has rate \(node.player.rate), the state is \(state!.phase)"
      }
    }
    let names = indices.map { nodes[$0].party.name }
    if Set(names).count != names.count { return "names are not unique: \(names)" }
    for index in indices {
      for other in nodes[index].party.others {
        let itself = nodes.first { $0.id == other.id }!.party.name
        if other.name != itself { return "\(index) calls \(itself) \(other.name)" }
      }
    }
    return nil
  }

  /// Whether everybody has heard all that the others said, once and in order; only what was declared
  /// lost may lack.
  var mishearing: String? {
    for index in running {
      for speaker in nodes where speaker.id != nodes[index].id {
        let heard = nodes[index].heard[speaker.id] ?? []
        if nodes[index].missing.contains(speaker.id) {
          var rest = speaker.said[...]
          for text in heard {
            guard let place = rest.firstIndex(of: text) else {
              return "\(index) heard \(text) twice, or out of its turn"
            }
            rest = rest[(place + 1)...]
          }
        } else if heard != speaker.said {
          return "\(index) heard \(heard.count) of \(speaker.said.count), or not in order"
        }
      }
    }
    return nil
  }
}

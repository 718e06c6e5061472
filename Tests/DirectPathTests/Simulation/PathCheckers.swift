import GroupActivities
import STUN

@testable import DirectPath
@testable import GroupSimulation

/// A check of one invariant, from outside: it sees the occurrences and the true networks, and believes no claim of the
/// machines about themselves.
protocol PathChecker {
  /// The invariant, as a sentence.
  var name: String { get }

  /// - Returns: a description of the fault, if this occurrence breaks the invariant.
  mutating func note(_ occurrence: PathSimulation.Occurrence, in simulation: PathSimulation)
    -> String?

  /// Called once at the end.
  mutating func checkHealed(_ simulation: PathSimulation) -> String?
}

extension PathChecker {
  mutating func note(_ occurrence: PathSimulation.Occurrence, in simulation: PathSimulation)
    -> String?
  { nil }

  mutating func checkHealed(_ simulation: PathSimulation) -> String? { nil }
}

/// Returns one checker for each invariant.
func allPathCheckers() -> [any PathChecker] {
  [
    PathOwnerChecker(), PathOpeningChecker(), PathAgreementChecker(), SilentPathChecker(),
    VictimChecker(),
  ]
}

/// A path leads to the participant whose key it has, and so do the datagrams on it.
struct PathOwnerChecker: PathChecker {
  let name = "a path leads to its participant"

  mutating func note(_ occurrence: PathSimulation.Occurrence, in simulation: PathSimulation)
    -> String?
  {
    switch occurrence {
    case .opened(let node, let peer, let remote):
      // The world without the packet: a question must not open a router.
      var internet = simulation.internet
      switch internet.carry(from: node, to: remote, at: simulation.now) {
      case .host(peer, source: _): return nil
      case .host(let other, source: _):
        return "the path of \(node) to \(peer) by \(remote) leads to \(other)"
      case .attacker: return "the path of \(node) to \(peer) leads to the attacker"
      case .server, .stray, .dropped:
        // The way may have changed since the answer left.
        guard simulation.scenario.faults.isEmpty else { return nil }
        return "the path of \(node) to \(peer) by \(remote) leads nowhere"
      }
    case .received(let node, let peer, let content):
      return content == [UInt8(peer), UInt8(node)]
        ? nil : "\(node) took a datagram of \(content[0]) to \(content[1]) for one of \(peer)"
    case .lost, .stray, .talked: return nil
    }
  }
}

/// Pairs that can open do so in time; the others don't.
struct PathOpeningChecker: PathChecker {
  let name = "a path that can open does so in time"

  mutating func checkHealed(_ simulation: PathSimulation) -> String? {
    let scenario = simulation.scenario
    guard scenario.faults.isEmpty else { return nil }
    // With loss or forged packets a burst may fail, and the second one follows after seven seconds.
    let isCalm = scenario.loss == 0 && !scenario.hasAttacker && scenario.liar == nil
    let limit = isCalm ? Nanoseconds.seconds(2) : .seconds(10)
    for one in simulation.nodes.indices {
      for two in simulation.nodes.indices where one != two {
        guard scenario.canOpen(one, two, simulation.routerOf),
          let here = simulation.nodes[one].invitedAt[two],
          let there = simulation.nodes[two].invitedAt[one],
          max(here, there) + limit < simulation.now
        else { continue }
        guard let opened = simulation.openedAt[[one, two]] else {
          return "\(one) has no path to \(two)"
        }
        let duration = opened - max(here, there)
        if duration > limit { return "\(one) opened a path to \(two) after \(duration) ns" }
      }
    }
    return nil
  }
}

/// In the end both participants of each pair that can open have a path, and datagrams arrive both ways.
struct PathAgreementChecker: PathChecker {
  let name = "both ends have a path that works"
  private var heard: [[Int]: Nanoseconds] = [:]

  mutating func note(_ occurrence: PathSimulation.Occurrence, in simulation: PathSimulation)
    -> String?
  {
    if case .received(let node, let peer, _) = occurrence { heard[[node, peer]] = simulation.now }
    return nil
  }

  mutating func checkHealed(_ simulation: PathSimulation) -> String? {
    let scenario = simulation.scenario
    for one in simulation.nodes.indices {
      for two in simulation.nodes.indices where one != two {
        guard scenario.canOpen(one, two, simulation.routerOf) else { continue }
        guard let last = heard[[one, two]], simulation.now - last < .seconds(4) else {
          return "\(one) hears nothing of \(two)"
        }
      }
    }
    return nil
  }
}

/// A path that carries nothing is reported lost within seconds.
struct SilentPathChecker: PathChecker {
  let name = "a path that carries nothing is lost"
  private var open: [[Int]: Nanoseconds] = [:]
  private static let limit = Nanoseconds.seconds(9)

  mutating func note(_ occurrence: PathSimulation.Occurrence, in simulation: PathSimulation)
    -> String?
  {
    switch occurrence {
    case .opened(let node, let peer, _): open[[node, peer]] = simulation.now
    case .lost(let node, let peer): open[[node, peer]] = nil
    case .received(let node, let peer, _):
      if open[[node, peer]] != nil { open[[node, peer]] = simulation.now }
    case .stray: break
    case .talked(let node):
      guard
        let silent = open.first(where: {
          $0.key[0] == node && simulation.now - $0.value > Self.limit
        })
      else { return nil }
      return "the path of \(node) to \(silent.key[1]) has carried nothing for nine seconds"
    }
    return nil
  }
}

/// An address that never answers gets few packets, whatever a participant claims.
struct VictimChecker: PathChecker {
  let name = "an address that never answers gets few packets"
  private var counts: [Int: Int64] = [:]

  mutating func note(_ occurrence: PathSimulation.Occurrence, in simulation: PathSimulation)
    -> String?
  {
    guard case .stray(let node, let remote) = occurrence,
      remote.with(port: 0) == SimulatedInternet.victim.with(port: 0)
    else { return nil }
    counts[node, default: 0] += 1
    let allowed = 41 + simulation.now / Nanoseconds.seconds(1)
    return counts[node] ?? 0 > allowed ? "\(node) sent more than \(allowed) packets" : nil
  }
}

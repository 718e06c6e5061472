import Timekeeping

/// The order in which the parties' input is processed.
///
/// While a party wants little, its input is processed as it comes. What it wants beyond that waits, and the parties with
/// such input take turns. A party that floods the relay therefore delays the others by one turn, however many connections
/// it has, and still has all of the relay's time that nobody else needs.
extension Broker {
  /// A Boolean value that indicates whether a party waits for its turn: call ``takeTurn(now:)`` after the next events.
  var hasTurns: Bool { !turns.isEmpty }

  /// Processes waiting input of the party whose turn it is.
  mutating func takeTurn(now: HostTime) {
    guard !turns.isEmpty else { return }
    let key = turns.removeFirst()
    guard parties[key]?.awaitsTurn == true else { return }
    parties[key]!.work.refill(limits.promptWork, at: now)
    parties[key]!.work.add(RelayConfiguration.Limits.turn, upTo: limits.promptWork)
    while let id = parties[key]?.nextWaiting() {
      guard connections.contains(id) else { continue }
      connections[id].refill(limits, at: now)
      connections[id].heard(at: now)
      let wasHeld = connections[id].turn == .held
      connections[id].turn = .none
      process(id)
      account(id)
      if wasHeld { readAgain(id) }
    }
    guard let party = parties[key] else { return }
    if party.waiting.isEmpty && !party.work.isEmpty {
      parties[key]!.awaitsTurn = false
    } else {
      turns.append(key)
    }
  }

  /// Processes the received operations, unless the party has to wait for its turn.
  mutating func processInTurn(_ id: ConnectionID, now: HostTime) {
    guard let key = connections[id].party else { return process(id) }
    parties[key]!.work.refill(limits.promptWork, at: now)
    if parties[key]!.awaitsTurn { wait(id) } else { process(id) }
  }

  /// Returns a Boolean value that indicates whether the connection's party may have more of its input processed now.
  func mayWork(_ id: ConnectionID) -> Bool {
    guard let key = connections[id].party else { return true }
    return !parties[key]!.work.isEmpty
  }

  /// Lets the party wait for its turn, and the connection if it has more input.
  mutating func endTurn(of id: ConnectionID) {
    guard let key = connections[id].party else { return }
    if !parties[key]!.awaitsTurn {
      parties[key]!.awaitsTurn = true
      turns.append(key)
    }
    if connections[id].parser.bufferedBytes > 0 { wait(id) }
  }

  private mutating func wait(_ id: ConnectionID) {
    guard connections[id].turn == .none else { return }
    connections[id].turn = .awaited
    parties[connections[id].party!]!.waiting.append(id)
  }

  /// Stops reading from a connection that waits and sends more.
  mutating func hold(_ id: ConnectionID) {
    guard connections[id].turn == .awaited else { return }
    connections[id].turn = .held
    effects.append(.hold(id))
  }

  /// Reads again from a connection that was held, unless it has to wait on.
  private mutating func readAgain(_ id: ConnectionID) {
    guard connections.contains(id), !connections[id].isPaused else { return }
    if connections[id].turn == .none {
      effects.append(.resume(id))
    } else {
      connections[id].turn = .held
    }
  }

  /// Charges a connection for work, and its party.
  mutating func spend(operations: Double = 0, bytes: Double = 0, by id: ConnectionID) {
    connections[id].operations.spend(operations)
    connections[id].bytes.spend(bytes)
    guard !connections[id].isAttachment, let key = connections[id].party else { return }
    parties[key]!.work.spend(operations + bytes / RelayConfiguration.Limits.bytesPerOperation)
  }
}

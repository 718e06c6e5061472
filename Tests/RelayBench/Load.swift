import GroupActivities

/// What the clients of one case do.
struct Load: Sendable {
  let name: String
  /// Parties of so many members each. A member receives what the others of its party send.
  let parties: Int
  let members: Int
  /// How many members of each party send; the others only receive.
  let senders: Int
  /// Messages a second of each sender.
  let rate: Double
  /// Connections of one more party that floods the broker, in a second measurement; none if 0.
  var flooders = 0

  static let payloadBytes = 200

  var connections: Int { parties * members + flooders }
  var sendsPerSecond: Double { Double(parties * senders) * rate }
  /// The sender wants no echo.
  var deliveriesPerSecond: Double { sendsPerSecond * Double(members - 1) }

  /// Three that the relay is judged by, and one of neighbours.
  static let all = [
    // One more than receivers: the sender.
    Load(name: "fan-out", parties: 1, members: 1001, senders: 1, rate: 10),
    Load(name: "parties", parties: 2000, members: 4, senders: 4, rate: 1),
    Load(name: "quick", parties: 1, members: 51, senders: 1, rate: 2000),
    Load(name: "misbehaving", parties: 2000, members: 2, senders: 2, rate: 0.5, flooders: 100),
  ]

  var description: String {
    if senders == 1 { return "\(members - 1) receivers × \(Int(rate)) Hz" }
    let honest = "\(parties) parties × \(members) at \(rate) Hz"
    return flooders == 0 ? honest : "\(honest), and a party of \(flooders) that floods"
  }
}

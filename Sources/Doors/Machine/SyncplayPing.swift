import Timekeeping

/// The time stamps by which both sides of a Syncplay connection measure its latency.
struct SyncplayPing: Sendable {
  /// The names of the fields, which differ between the sides.
  struct Fields: Sendable {
    var own: String
    var other: String
    var roundTrip: String
    var otherRoundTrip: String

    static let server = Fields(
      own: "latencyCalculation", other: "clientLatencyCalculation", roundTrip: "serverRtt",
      otherRoundTrip: "clientRtt")
    static let client = Fields(
      own: "clientLatencyCalculation", other: "latencyCalculation", roundTrip: "clientRtt",
      otherRoundTrip: "serverRtt")
  }

  private let fields: Fields
  private var otherStamp: (time: Double, arrival: HostTime)?
  private var roundTrip: Duration?
  private var last = Duration.zero
  /// The client's average of the round trips that it measured.
  private var clientAverage: Duration?
  /// The stamps of the states that the client measures a round trip with.
  private var measured: [Double] = []

  /// The longest round trip that is believed.
  private static let longest = Duration.seconds(12.5)
  private static let measuredLimit = 16

  init(_ fields: Fields = .server) { self.fields = fields }

  /// The time that a message takes to the other side, one second at most.
  var delay: Duration { min((roundTrip ?? .zero) / 2.0, .seconds(1)) }

  /// The time by which the other side, as it advances the position of the next state, goes too far: one long answer of its player
  /// spoils its average for many seconds. One second at most.
  var excess: Duration {
    guard let clientAverage, let roundTrip, clientAverage > roundTrip else { return .zero }
    return min((clientAverage - roundTrip) * Self.weight / 2.0, .seconds(1))
  }
  /// The weight of a client's average against its next measurement.
  private static let weight = 0.85

  private mutating func received(_ trip: Double, for stamp: Double) {
    guard let index = measured.firstIndex(of: stamp), (0..<Self.longest.inSeconds).contains(trip)
    else { return }
    measured.removeSubrange(...index)
    let trip = Duration.seconds(trip)
    clientAverage = clientAverage.map { $0 * Self.weight + trip * (1 - Self.weight) } ?? trip
  }

  mutating func received(_ ping: JSONValue, at now: HostTime) {
    if let stamp = ping[fields.own]?.number {
      if let trip = ping[fields.otherRoundTrip]?.number { received(trip, for: stamp) }
      let trip = now.seconds - stamp
      if trip >= 0, trip < Self.longest.inSeconds {
        last = .seconds(trip)
        // The other side acts before it answers, so the quickest answers count.
        roundTrip = roundTrip.map { min(last, $0 * 0.95 + last * 0.05) } ?? last
      }
    }
    if let stamp = ping[fields.other]?.number { otherStamp = (stamp, now) }
  }

  /// The stamps of the next state. The other side's own goes back once.
  mutating func next(at now: HostTime) -> JSONValue {
    var ping: [String: JSONValue] = [
      fields.own: .number(now.seconds), fields.roundTrip: .number(last.inSeconds),
    ]
    if let (time, arrival) = otherStamp.take() {
      ping[fields.other] = .number(time + (now - arrival).inSeconds)
      measured = measured.suffix(Self.measuredLimit - 1) + [now.seconds]
    }
    return .object(ping)
  }
}

extension HostTime {
  /// The time in seconds, as Syncplay's messages have it.
  var seconds: Double { Double(nanoseconds) / 1e9 }
}

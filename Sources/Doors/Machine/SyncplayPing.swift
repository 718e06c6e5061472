import Timekeeping

/// The time stamps by which both sides of a Syncplay connection measure its latency.
struct SyncplayPing: Sendable {
  private var clientStamp: (time: Double, arrival: HostTime)?
  private var roundTrip: Duration?
  private var last = Duration.zero

  /// The longest round trip that is believed.
  private static let longest = Duration.seconds(12.5)

  /// The time that a message takes to the client, one second at most.
  var delay: Duration { min((roundTrip ?? .zero) / 2.0, .seconds(1)) }

  mutating func received(_ ping: JSONValue, at now: HostTime) {
    if let stamp = ping["latencyCalculation"]?.number {
      let trip = now.seconds - stamp
      if trip >= 0, trip < Self.longest.inSeconds {
        last = .seconds(trip)
        // A client acts before it answers, so the quickest answers count.
        roundTrip = roundTrip.map { min(last, $0 * 0.95 + last * 0.05) } ?? last
      }
    }
    if let stamp = ping["clientLatencyCalculation"]?.number { clientStamp = (stamp, now) }
  }

  /// The stamps of the next state. The client's own goes back once.
  mutating func next(at now: HostTime) -> JSONValue {
    var ping: [String: JSONValue] = [
      "latencyCalculation": .number(now.seconds), "serverRtt": .number(last.inSeconds),
    ]
    if let (time, arrival) = clientStamp.take() {
      ping["clientLatencyCalculation"] = .number(time + (now - arrival).inSeconds)
    }
    return .object(ping)
  }
}

extension HostTime {
  /// The time in seconds, as Syncplay's messages have it.
  var seconds: Double { Double(nanoseconds) / 1e9 }
}

import GroupActivities

/// A line that a test writes to the probe.
enum ProbeCommand: Codable, Sendable {
  /// Begins to gather candidates, with the help of these servers (`HOST:PORT`).
  case gather(servers: [String])
  case open(peer: String, key: [UInt8], isControlling: Bool, candidates: [ProbeCandidate])
  case close(peer: String)
}

/// A line that the probe writes. Times are nanoseconds of the machine's monotonic clock, which all namespaces share.
enum ProbeEvent: Codable, Hashable, Sendable {
  case listening(relay: String, stun: [String])
  case candidates([ProbeCandidate])
  /// The probe has begun to open the path.
  case invited(peer: String, at: Int64)
  case opened(peer: String, remote: String, roundTripNanoseconds: Int64, at: Int64)
  case lost(peer: String, at: Int64)
  case received(peer: String, text: String, at: Int64)
}

/// A candidate as JSON.
struct ProbeCandidate: Codable, Hashable, Sendable {
  var address: [UInt8]
  var port: UInt16
  var kind: UInt8

  init(_ candidate: PathCandidate) {
    address = candidate.address
    port = candidate.port
    kind = candidate.kind.rawValue
  }

  var candidate: PathCandidate? {
    PathCandidate.Kind(rawValue: kind).flatMap {
      PathCandidate(address: address, port: port, kind: $0)
    }
  }
}

import ProcessTesting

@testable import PathProbe

extension NATLaboratory {
  /// Runs a relay on the internet.
  ///
  /// - Returns: its address.
  func startRelay() async throws -> String {
    let relay = try ProbeProcess(["relay", "*", "62846"], namespace: internet)
    keep(relay)
    let stun = try await relay.first("the relay") { event in
      if case .listening(_, let stun) = event { stun } else { nil }
    }
    guard stun.count == 2 else { throw ProbeProcess.Missing(description: "STUN at \(stun)") }
    return "\(Self.relayAddress):62846"
  }

  /// Runs a participant in a home.
  func startPeer(_ name: String, in home: Home) throws -> ProbeProcess {
    let probe = try ProbeProcess(["peer", name], namespace: home.machine)
    keep(probe)
    return probe
  }
}

import Timekeeping

/// The addresses of participants, which the relay answers over UDP.
extension RelayLoop {
  /// Begins to answer binding requests at the relay's port. Without the port the relay continues, and participants don't
  /// learn their public addresses from it.
  ///
  /// - Returns: the addresses at which it answers; empty if the port is taken.
  func answerSTUN(beside relay: RelayAddress) -> [RelayAddress] {
    do throws(RelayError) {
      let sockets = try STUNSockets(beside: relay, at: .now())
      watch(sockets)
      return sockets.addresses
    } catch {
      logger.notice(
        "The relay answers no STUN requests, so that direct paths may not open: \(error.description)"
      )
      return []
    }
  }
}

import GroupActivities
import OrderedCollections

/// The authors' proofs of the states in circulation. A participant that passes a state on shows with the proof that it
/// didn't invent the state. A proof is valid in one session only.
struct StateProofs {
  /// The proof of each state, the longest kept first. An author may sign two states under one stamp, so the stamp isn't
  /// the key.
  private var proofs: OrderedDictionary<ItemState, Proof> = [:]
  /// More than the states that a group has at one time; a proof that was dropped comes again.
  private static let limit = 256

  func covers(_ state: ItemState) -> Bool { proofs[state] != nil }

  /// Adds the proof of a state.
  ///
  /// - Returns: false if the author didn't write the state.
  mutating func add(
    _ proof: Proof?, of state: ItemState, in session: GroupSessionID, of party: Party
  ) -> Bool {
    guard let proof,
      party.isProven(
        state: state.provenBytes, in: session, by: state.stamp.participant, proof)
    else { return false }
    remember(state, proof)
    return true
  }

  /// Returns the proof of a state: made here if this participant wrote the state, otherwise the one that came with it.
  mutating func proof(
    of state: ItemState, in session: GroupSessionID, of party: Party
  ) -> Proof? {
    if !covers(state), state.stamp.participant == party.localID {
      remember(state, party.proof(ofState: state.provenBytes, in: session))
    }
    return proofs[state]
  }

  private mutating func remember(_ state: ItemState, _ proof: Proof) {
    proofs[state] = nil
    proofs[state] = proof
    if proofs.count > Self.limit { proofs.removeFirst() }
  }
}

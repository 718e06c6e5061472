import Crypto
import Synchronization

/// The content keys that this participant holds: shared by the sealing of its messages, and by the opening of the
/// others' on another thread.
final class KeyRing: Sendable {
  private let party: Participant.ID
  /// The key that follows from the invite.
  private let invite: SymmetricKey
  private let state = Mutex(State())

  private struct State {
    var revision = 0
    var keys: [ContentKeyID: SymmetricKey] = [:]
  }

  init(party: Participant.ID, keys: PartyKeys) {
    self.party = party
    invite = keys.content
  }

  /// Returns a key; nil if this participant doesn't hold it.
  func key(_ id: ContentKeyID) -> SymmetricKey? {
    id == .invite ? invite : state.withLock { $0.keys[id] }
  }

  /// Replaces all keys besides the invite's, unless the ring has this revision of them.
  func update(to revision: Int, _ secrets: @autoclosure () -> [EpochSecret]) {
    state.withLock { state in
      guard revision != state.revision else { return }
      var keys: [ContentKeyID: SymmetricKey] = [:]
      for secret in secrets() { keys[secret.id] = secret.contentKey(party: party) }
      state = State(revision: revision, keys: keys)
    }
  }
}

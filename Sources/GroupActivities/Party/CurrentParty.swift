import Concurrency
import Synchronization

/// The party that calls without a party mean.
///
/// The process has one; ``Party/withOwnCurrent(_:)`` gives a part of it another one.
final class CurrentParty: Sendable {
  private static let ofProcess = CurrentParty()
  @TaskLocal static var scoped: CurrentParty?

  static var here: CurrentParty { scoped ?? ofProcess }

  /// The party; nil while there is none.
  let parties = Broadcast<Party?>(.some(nil))
  /// Held from a comparison to the change that follows from it.
  private let change = Mutex(())

  var party: Party? { parties.value ?? nil }

  func set(_ party: Party) {
    change.withLock { _ in parties.send(party) }
  }

  /// Removes the party, unless another one has taken its place.
  func remove(_ party: Party) {
    change.withLock { _ in if self.party === party { parties.send(nil) } }
  }
}

extension Party {
  /// The party that ``GroupActivity/activate()``, ``GroupActivity/prepareForActivation()``,
  /// ``GroupActivity/sessions()`` and ``GroupStateObserver`` mean; nil while there is none.
  ///
  /// It corresponds to the FaceTime call of SharePlay: a program doesn't name it, and there may be none.
  public static var current: Party? { CurrentParty.here.party }

  /// Runs a closure, and the tasks that it begins, with a current party of its own: none at first. For several
  /// participants in one process, such as in tests.
  public static func withOwnCurrent<Result>(
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await CurrentParty.$scoped.withValue(CurrentParty(), operation: body)
  }
}

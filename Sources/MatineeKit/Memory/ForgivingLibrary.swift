import Concurrency
import MediaLibrary
import Screening

/// The library, without which the program works too: only the first failure is reported.
@ScreeningActor
final class ForgivingLibrary {
  /// Nil if nothing is remembered.
  package let library: MediaLibrary?
  private let events: EventBroadcast<ScreeningEvent>
  /// A Boolean value that indicates whether a failure was reported.
  private var hasFailed = false

  init(_ library: MediaLibrary?, events: EventBroadcast<ScreeningEvent>) {
    self.library = library
    self.events = events
  }

  func use(_ body: (MediaLibrary) async throws -> Void) async {
    guard let library else { return }
    do {
      try await body(library)
    } catch MediaLibraryError.cancelled {
      // The next film has made a search needless.
    } catch {
      guard !hasFailed else { return }
      hasFailed = true
      events.send(.warning((error as? MediaLibraryError)?.withoutHistory ?? "\(error)"))
    }
  }
}

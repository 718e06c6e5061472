import Dispatch
import Foundation
import MatineeKit

/// Signals as values, so that the program can leave in an orderly fashion.
enum Signals {
  /// Returns a stream of SIGINT, SIGTERM and SIGHUP, which are caught as long as the stream lives.
  ///
  /// It returns after all of them are caught. A signal that arrives earlier has its default effect, because an ignored
  /// one would be lost.
  static func termination() async -> AsyncStream<Int32> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Int32.self, bufferingPolicy: .bufferingNewest(8))
    var sources: [any DispatchSourceSignal] = []
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield(number) }
      await withCheckedContinuation { registered in
        source.setRegistrationHandler { registered.resume() }
        source.resume()
      }
      sources.append(source)
    }
    let keeper = SourceKeeper(sources: sources)
    continuation.onTermination = { _ in keeper.cancel() }
    return stream
  }
}

/// `@unchecked Sendable`: dispatch sources may be cancelled from any thread.
private final class SourceKeeper: @unchecked Sendable {
  private let sources: [any DispatchSourceSignal]

  init(sources: [any DispatchSourceSignal]) { self.sources = sources }

  func cancel() { for source in sources { source.cancel() } }
}

import Dispatch
import Foundation

/// Signals as values, so that the program can leave in an orderly fashion.
enum Signals {
  /// SIGINT, SIGTERM and SIGHUP, for as long as the stream lives.
  static func termination() -> AsyncStream<Int32> {
    AsyncStream { continuation in
      let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler { continuation.yield(number) }
        source.resume()
        return source
      }
      let keeper = SourceKeeper(sources: sources)
      continuation.onTermination = { _ in keeper.cancel() }
    }
  }
}

/// `@unchecked Sendable`: dispatch sources may be cancelled from any thread.
private final class SourceKeeper: @unchecked Sendable {
  private let sources: [any DispatchSourceSignal]

  init(sources: [any DispatchSourceSignal]) { self.sources = sources }

  func cancel() { for source in sources { source.cancel() } }
}

import AVFormat
import Concurrency
import Foundation
import Screening
import Timekeeping

/// The encoder of a smaller copy, on threads that give way to the player's.
struct SmallerCopy: Sendable {
  /// One thread at a time uses it.
  private struct Encoder: @unchecked Sendable { let copy: SmallCopy }

  private let encoder: Encoder

  var layout: SmallCopy.Layout { encoder.copy.layout }
  var header: Data { Data(encoder.copy.header) }

  static func open(
    _ path: String, _ quality: ShareQuality
  ) async throws(FragmentError) -> SmallerCopy {
    let limits = ConversionQuality(height: quality.height, bitRate: quality.bitRate)
    return try await run { () throws(FragmentError) in
      SmallerCopy(encoder: Encoder(copy: try SmallCopy(path: path, limits)))
    }
  }

  func part(at position: MediaTime) -> Int { encoder.copy.part(at: position) }

  func make(_ part: Int) async throws(FragmentError) -> Data {
    try await Self.run { [encoder] () throws(FragmentError) in Data(try encoder.copy.make(part)) }
  }

  /// Runs work on media on a thread that gives way to the player's.
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(FragmentError) -> Value
  ) async throws(FragmentError) -> Value {
    try await OwnedThread.run("encoder") { () -> Result<Value, FragmentError> in
      // On Linux this holds for the thread, and for those that it makes.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
      do throws(FragmentError) { return .success(try body()) } catch { return .failure(error) }
    }.get()
  }
}

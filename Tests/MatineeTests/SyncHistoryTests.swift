import PlaybackCoordination
import Testing
import Timekeeping

@testable import MatineeKit

@Suite("The last minutes of synchronization")
struct SyncHistoryTests {
  private func record(at seconds: Double) -> SyncRecord {
    SyncRecord(hostTime: HostTime(nanoseconds: Int64(seconds * 1e9)))
  }

  @Test("Exactly five minutes are kept")
  func depth() {
    var history = SyncHistory()
    for tick in 0...2000 { history.append(record(at: Double(tick) * 0.5)) }
    #expect(history.records.first?.hostTime == record(at: 700).hostTime)
    #expect(history.records.last?.hostTime == record(at: 1000).hostTime)
    #expect(history.records.count == 601)
  }

  @Test("A flood of events takes no more memory than its bound")
  func capacity() {
    var history = SyncHistory()
    for tick in 0..<10_000 { history.append(record(at: Double(tick) / 1000)) }
    #expect(history.records.count == SyncHistory.capacity)
    #expect(history.records.last?.hostTime == record(at: 9.999).hostTime)
  }

  @Test("After a long pause the data before it is gone, and the gap isn't filled")
  func pause() {
    var history = SyncHistory()
    for tick in 0..<10 { history.append(record(at: Double(tick))) }
    history.append(record(at: 305))
    #expect(
      history.records.map(\.hostTime) == [5, 6, 7, 8, 9, 305].map { record(at: $0).hostTime })
  }
}

import Foundation
import ProcessTesting
import Testing

@testable import GroupActivities

@Suite("The readers of a session's messages")
struct MailboxTests {
  @Test("Cancelling a reader while a message is delivered blocks neither")
  func race() async {
    let mailbox = Mailbox()
    let ben = Participant(id: Gathering.id(1), name: "Ben")
    let isOver = await CancellationRace.ends {
      let (stream, continuation) = AsyncStream.makeStream(
        of: Data.self, bufferingPolicy: .bufferingOldest(8))
      let reader = Mailbox.Reader(version: 1) { data, _ in
        continuation.yield(data)
        return true
      } finish: {
        continuation.finish()
      }
      let id = mailbox.add(reader, for: "stroke")!
      continuation.onTermination = { _ in mailbox.remove(id, for: "stroke") }
      return stream
    } send: {
      _ = mailbox.deliver(Data([1]), type: "stroke", version: 1, from: ben)
    }
    #expect(isOver)
  }
}

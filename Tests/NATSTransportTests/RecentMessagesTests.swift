import Testing

@testable import NATSTransport

@Suite("Messages while there are two connections")
struct RecentMessagesTests {
  private let recent = RecentMessages()

  private func arrives(_ number: Int, of subject: String = "a") -> Bool {
    recent.noteReceived(Array("\(number)".utf8), of: subject)
  }

  private func send(_ number: Int) { recent.noteSent(Array("\(number)".utf8), to: "a") }

  @Test("A message that arrives over both counts once")
  func copies() {
    recent.begin()
    #expect(arrives(1) && arrives(2) && arrives(1, of: "b"))
    #expect(!arrives(1) && !arrives(2))
    recent.end()
    #expect(arrives(1) && arrives(1), "with one connection there are no copies")
  }

  @Test(
    "The client's own messages don't come back, even those that it sent over the first connection alone"
  )
  func own() {
    send(1)
    recent.begin()
    send(2)
    #expect(!arrives(1) && !arrives(2) && arrives(3))
    recent.end()
    recent.begin()
    #expect(!arrives(1), "at the next replacement")
  }

  @Test("Of its own messages it remembers the last few thousand")
  func limit() {
    for number in 0..<20_000 { send(number) }
    recent.begin()
    #expect((15_904..<20_000).allSatisfy { !arrives($0) })
    #expect((0..<11_808).allSatisfy { arrives($0) })
  }
}

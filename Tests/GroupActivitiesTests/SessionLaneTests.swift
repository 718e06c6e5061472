import Foundation
import PartyTesting
import SessionTesting
import Testing

@testable import GroupActivities

/// A library's own protocol in a session, through the public interface of lanes.
@Suite("A session's lanes", .timeLimit(.minutes(1)))
struct SessionLaneTests {
  @Test("A lane brings its messages to the recipients alone, and no messages of other lanes")
  func delivery() async throws {
    let test = try await TestParty()
    let sketches = test.sessions.map { GroupSessionLane("org.example.sketch", session: $0) }
    let other = GroupSessionLane("org.example.score", session: test.sessions[1])
    var streams: [AsyncStream<LaneEvent>] = []
    for lane in sketches { streams.append(await lane.events()) }
    let others = await other.events()
    try await sketches[0].send([
      .init(Data("all".utf8)), .init(Data("Chi".utf8), to: .only(test.parties[2].localID)),
    ])
    try await sketches[0].send([.init(Data("end".utf8))])
    try await GroupSessionLane("org.example.score", session: test.sessions[0])
      .send([.init(Data("score".utf8))])
    let ana = test.parties[0].localID
    #expect(try await Self.messages(of: streams[1], through: "end", from: ana) == ["all", "end"])
    #expect(
      try await Self.messages(of: streams[2], through: "end", from: ana) == ["all", "Chi", "end"])
    #expect(try await Self.messages(of: others, through: "score", from: ana) == ["score"])
    for lane in sketches + [other] { await lane.close() }
    await test.close()
  }

  /// The messages until one of them.
  private static func messages(
    of stream: AsyncStream<LaneEvent>, through last: String, from sender: Participant.ID
  ) async throws -> [String] {
    let received = Received<String>()
    let end = try await first(of: stream) { event in
      guard case .received(let data, sender) = event else { return false }
      received.add(String(decoding: data, as: UTF8.self))
      return data == Data(last.utf8)
    }
    _ = try #require(end)
    return received.values
  }

  @Test("A lane reports the participants and the link, and ends with the session")
  func conditions() async throws {
    let test = try await TestParty()
    let lane = GroupSessionLane("org.example.sketch", session: test.sessions[2])
    let events = await lane.events()
    let ids = test.parties.map(\.localID)
    let present = LaneConditions(participants: ids, isConnected: true)
    #expect(try await first(of: events) { _ in true } == .changed(present))
    await test.sessions[1].leave()
    let fewer = LaneConditions(participants: [ids[0], ids[2]], isConnected: true)
    #expect(try await first(of: events) { $0 == .changed(fewer) } != nil)
    test.transports[2].cut()
    let cut = LaneConditions(participants: [ids[0], ids[2]], isConnected: false)
    #expect(try await first(of: events) { $0 == .changed(cut) } != nil)
    test.transports[2].restore()
    try await test.sessions[0].end()
    #expect(try await first(of: events) { _ in false } == nil)
    #expect(
      try await first(of: GroupSessionLane("late", session: test.sessions[2]).events()) { _ in true
      }
        == nil)
    await #expect(throws: PartyError.sessionOver) { try await lane.nextNumber() }
    await lane.close()
    await test.close()
  }

  @Test("Numbers on a lane are never given twice, whichever object asks")
  func numbers() async throws {
    let test = try await TestParty(["Ana", "Ben"])
    for number in 0..<3 {
      let lane = GroupSessionLane("org.example.sketch", session: test.sessions[0])
      #expect(try await lane.nextNumber() == number)
    }
    let other = GroupSessionLane("org.example.score", session: test.sessions[0])
    #expect(try await other.nextNumber() == 0)
    await test.close()
  }

  @Test("A proof holds for its statement, author, lane and session only")
  func proofs() async throws {
    let test = try await TestParty(["Ana", "Ben"])
    let lanes = test.sessions.map { GroupSessionLane("org.example.sketch", session: $0) }
    let other = GroupSessionLane("org.example.score", session: test.sessions[1])
    let (ana, ben) = (test.parties[0].localID, test.parties[1].localID)
    let proof = lanes[0].proof(of: [1, 2, 3])
    #expect(lanes[1].isProven([1, 2, 3], by: ana, proof))
    #expect(!lanes[1].isProven([1, 2], by: ana, proof))
    #expect(!lanes[1].isProven([1, 2, 3], by: ben, proof))
    #expect(!other.isProven([1, 2, 3], by: ana, proof))
    await test.close()
  }

  @Test("A message over the limit isn't sent; the largest arrives")
  func size() async throws {
    let test = try await TestParty(["Ana", "Ben"])
    let lanes = test.sessions.map { GroupSessionLane("org.example.sketch", session: $0) }
    let events = await lanes[1].events()
    let limit = GroupSessionLane.sizeLimit
    await #expect(throws: PartyError.tooLarge(bytes: limit + 1, limit: limit)) {
      try await lanes[0].send([.init(Data(count: limit + 1))])
    }
    try await lanes[0].send([.init(Data(count: limit))])
    let ana = test.parties[0].localID
    #expect(
      try await first(of: events) { if case .received = $0 { true } else { false } }
        == .received(Data(count: limit), from: ana))
    for lane in lanes { await lane.close() }
    await test.close()
  }

  @Test("A lane's name is short and plain")
  func names() throws {
    let packet = LanePacket(
      session: GroupSessionID(rawValue: 9), lane: "a.b", data: Data([1, 2]))
    #expect(packet.binary == [0, 0, 0, 0, 0, 0, 0, 9, 3] + Array("a.b".utf8) + [1, 2])
    #expect(try LanePacket(binary: packet.binary) == packet)
    for name in ["", "A", "a b", "é", String(repeating: "a", count: 33)] {
      let bytes = packet.binary.prefix(8) + [UInt8(name.utf8.count)] + Array(name.utf8)
      #expect(throws: WireError.malformed) { try LanePacket(binary: bytes) }
    }
  }
}

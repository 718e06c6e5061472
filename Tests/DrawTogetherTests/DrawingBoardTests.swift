import Foundation
import GroupActivities
import PartyTesting
import Testing
import Timekeeping

@testable import DrawTogether

/// Members of a party who draw, over a broker in memory.
private struct Table {
  let broker = MemoryBroker()
  var parties: [Party] = []
  var boards: [DrawingBoard] = []
  var transports: [MemoryTransport] = []
  private let founding = Party.Founding()

  static func run(_ names: String..., body: (inout Table) async throws -> Void) async throws {
    var table = Table()
    do {
      for name in names { try await table.sit(name) }
      try await DrawTogether(item: "film").activate(in: table.parties[0])
      for index in names.indices { try await table.join(index) }
      try await body(&table)
    } catch {
      await table.close()
      throw error
    }
    await table.close()
  }

  mutating func sit(_ name: String) async throws {
    let transport = broker.transport()
    transports.append(transport)
    if let host = parties.first {
      parties.append(try await Party.join(host.invite, name: name, transport: transport))
    } else {
      parties.append(
        try await Party.create(
          founding, addresses: [try #require(Invite.Address("memory:1"))], name: name,
          transport: transport))
    }
  }

  /// Lets a member join the drawing, and waits until the other members see it there.
  mutating func join(_ index: Int) async throws {
    let session = try #require(
      try await first(of: DrawTogether.sessions(in: parties[index])) { _ in true })
    let board = await DrawingBoard(session: session)
    await board.join()
    if index < boards.count { boards[index] = board } else { boards.append(board) }
    let joined = boards.filter { $0.session.state == .joined }
    for board in joined {
      try await until { board.session.activeParticipants.count == joined.count }
    }
  }

  func draw(_ index: Int, _ points: (Double, Double)...) async {
    await boards[index].press(at: PicturePoint(x: points[0].0, y: points[0].1))
    for point in points.dropFirst() {
      await boards[index].move(to: PicturePoint(x: point.0, y: point.1))
    }
    await boards[index].lift()
  }

  /// Waits until all of these have the same drawing.
  func agree(_ indices: Int..., strokes: Int) async throws {
    try await until {
      // Read together each time: of strokes that come in pieces a member may have received only the
      // first.
      var drawings: [Drawing] = []
      for index in indices { drawings.append(await boards[index].drawing) }
      return drawings.allSatisfy { $0 == drawings[0] && $0.strokes.count == strokes }
    }
  }

  private func close() async {
    for party in parties.reversed() { await party.leave() }
  }
}

@Suite("Two drawings that begin at once", .serialized)
struct SimultaneousDrawingTests {
  @Test("The strokes in the drawing that loses are drawn in the one that stays")
  func carried() async throws {
    try await Table.run("Ana", "Ben") { table in
      await table.draw(0, (0.1, 0.1), (0.2, 0.2))
      // Ana's pen is still down when Ben's drawing replaces hers.
      await table.boards[0].press(at: PicturePoint(x: 0.3, y: 0.3))
      let lost = table.boards[0]
      try await DrawTogether(item: "film").activate(in: table.parties[1])
      try await until { lost.session.state != .joined }
      for index in 0..<2 { try await table.join(index) }
      await table.draw(1, (0.8, 0.8), (0.9, 0.9))
      #expect(table.boards[0].session.activity.continues(lost.session.activity))
      await table.boards[0].continueStrokes(of: lost)
      await table.boards[0].move(to: PicturePoint(x: 0.4, y: 0.4))
      await table.boards[0].lift()
      try await table.agree(0, 1, strokes: 3)
      let own = await table.boards[1].drawing.strokes(of: table.parties[0].localID)
      #expect(own.map(\.points.count) == [2, 2])
    }
  }

  @Test(
    "A cleared drawing continues none, and an earlier version's drawing counts as never cleared")
  func clearing() throws {
    let begun = DrawTogether(item: "film")
    #expect(begun.continues(DrawTogether(item: "film")))
    #expect(!begun.continues(DrawTogether(item: "another")))
    #expect(!begun.cleared.continues(begun) && begun.cleared.continues(begun.cleared))
    let old = try JSONDecoder().decode(DrawTogether.self, from: Data(#"{"item":"film"}"#.utf8))
    #expect(old == begun)
    let coded = try JSONEncoder().encode(begun.cleared)
    #expect(try JSONDecoder().decode(DrawTogether.self, from: coded) == begun.cleared)
  }
}

/// Waits, twenty seconds at most.
private func until(
  sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () async -> Bool
) async throws {
  let deadline = HostTime.now() + .seconds(20)
  while await !isSo() {
    guard .now() < deadline else {
      Issue.record("what is waited for here never came", sourceLocation: sourceLocation)
      throw TooLate()
    }
    try await Task.sleep(for: .milliseconds(2))
  }
}

@Suite("Drawing together", .timeLimit(.minutes(1)))
struct DrawingBoardTests {
  @Test("All participants see a stroke as it was drawn")
  func everybody() async throws {
    try await Table.run("Ana", "Ben", "Chi") { table in
      await table.draw(0, (0.1, 0.1), (0.2, 0.3), (0.5, 0.5))
      await table.draw(2, (0.9, 0.1), (0.1, 0.9))
      try await table.agree(0, 1, 2, strokes: 2)
      let strokes = await table.boards[1].drawing.strokes
      #expect(Set(strokes.map { $0.points.count }) == [2, 3])
      #expect(
        Set(strokes.map(\.id.author)) == [table.parties[0].localID, table.parties[2].localID])
    }
  }

  @Test("Strokes that are drawn at the same time stay separate")
  func atOnce() async throws {
    try await Table.run("Ana", "Ben") { table in
      let board = table.boards[0]
      await withTaskGroup(of: Void.self) { group in
        for y in 0..<20 {
          group.addTask {
            await board.draw(
              through: (0..<100).map { PicturePoint(parts: UInt16($0), UInt16(y)) })
          }
        }
      }
      try await table.agree(0, 1, strokes: 20)
      for stroke in await table.boards[1].drawing.strokes {
        #expect(stroke.points.count == 100 && Set(stroke.points.map(\.y)).count == 1)
      }
    }
  }

  @Test("A long stroke arrives while it is drawn, in pieces, and is complete in the end")
  func longStroke() async throws {
    try await Table.run("Ana", "Ben") { table in
      let ben = table.boards[1]
      await table.boards[0].press(at: PicturePoint(x: 0, y: 0))
      try await until { await !ben.drawing.isEmpty }
      for step in 1...3000 {
        await table.boards[0].move(to: PicturePoint(parts: UInt16(step), UInt16(step)))
        guard step % 500 == 0 else { continue }
        let ana = await table.boards[0].drawing
        try await until { await ben.drawing == ana }
      }
      await table.boards[0].lift()
      try await until { await ben.drawing.strokes.first?.points.count == 3001 }
      #expect(await ben.drawing == table.boards[0].drawing)
    }
  }

  @Test("A late joiner gets the whole drawing, also the strokes of participants who have left")
  func latecomer() async throws {
    try await Table.run("Ana", "Ben", "Chi") { table in
      for index in 0..<3 { await table.draw(index, (0.1, 0.2), (0.3, 0.4)) }
      try await table.agree(0, 1, 2, strokes: 3)
      await table.boards[1].leave()
      await table.parties[1].leave()
      for index in [0, 2] {
        let session = table.boards[index].session
        try await until { session.activeParticipants.count == 2 }
      }
      try await table.sit("Dee")
      try await table.join(3)
      try await table.agree(0, 2, 3, strokes: 3)
      let author = table.parties[1].localID
      #expect(await table.boards[3].drawing.strokes(of: author).count == 1)
    }
  }

  @Test("A participant that returns to the drawing finds its own strokes, and may undo them")
  func comingBack() async throws {
    try await Table.run("Ana", "Ben") { table in
      await table.draw(1, (0.1, 0.2), (0.3, 0.4))
      try await table.agree(0, 1, strokes: 1)
      await table.boards[1].leave()
      let session = table.boards[0].session
      try await until { session.activeParticipants.count == 1 }
      try await table.join(1)
      try await table.agree(0, 1, strokes: 1)
      #expect(await table.boards[1].undo())
      try await table.agree(0, 1, strokes: 0)
    }
  }

  @Test("Undo removes only the participant's own last stroke")
  func undo() async throws {
    try await Table.run("Ana", "Ben") { table in
      await table.draw(0, (0.1, 0.1), (0.2, 0.2))
      try await table.agree(0, 1, strokes: 1)
      await table.draw(1, (0.3, 0.3), (0.4, 0.4))
      try await table.agree(0, 1, strokes: 2)
      #expect(await table.boards[0].undo())
      try await table.agree(0, 1, strokes: 1)
      #expect(await table.boards[1].drawing.strokes.map(\.id.author) == [table.parties[1].localID])
      #expect(await !table.boards[0].undo())
    }
  }

  @Test("A reset begins a new session with an empty drawing for all, and ends the old one")
  func reset() async throws {
    try await Table.run("Ana", "Ben") { table in
      await table.draw(0, (0.1, 0.1), (0.2, 0.2))
      try await table.agree(0, 1, strokes: 1)
      let old = table.boards.map(\.session)
      try await DrawTogether(item: "film").activate(in: table.parties[1])
      for session in old {
        try await until {
          session.state == .invalidated(reason: .replaced(by: table.parties[1].localID))
        }
      }
      for index in 0..<2 { try await table.join(index) }
      #expect(await table.boards[0].drawing.isEmpty)
      await table.draw(1, (0.5, 0.5), (0.6, 0.6))
      try await table.agree(0, 1, strokes: 1)
    }
  }

  @Test("Strokes that are drawn while the link is down arrive when it is back")
  func outage() async throws {
    try await Table.run("Ana", "Ben") { table in
      await table.draw(0, (0.1, 0.1), (0.2, 0.2))
      try await table.agree(0, 1, strokes: 1)
      table.transports[0].cut()
      await table.draw(0, (0.5, 0.5), (0.6, 0.6), (0.7, 0.7))
      await table.draw(1, (0.9, 0.5), (0.8, 0.6))
      table.transports[0].restore()
      try await table.agree(0, 1, strokes: 3)
    }
  }

  @Test(
    "A guest can't draw in another's name, and one stroke of hers makes the drawing full for nobody"
  )
  func hostile() async throws {
    try await Table.run("Ana", "Ben", "Mallory") { table in
      let ana = table.parties[0].localID
      let mallory = GroupSessionMessenger(session: table.boards[2].session)
      let line = DrawingMessage.Line(
        Stroke(id: .init(number: 1, author: ana), points: [PicturePoint(x: 0.5, y: 0.5)]))
      let lane = GroupSessionLane("drawing", session: table.boards[2].session)
      try await mallory.send(
        DrawingMessage.others(
          .init(revision: 1, lines: [line], proof: lane.proof(of: [])), of: ana))
      try await mallory.send(
        DrawingMessage.draw(number: Drawing.numberLimit, points: line.points))
      // Her messages keep their order: the first one has had no effect.
      for board in table.boards[..<2] {
        try await until { await !board.drawing.isEmpty }
        #expect(await board.drawing.strokes.map(\.id.author) == [table.parties[2].localID])
      }
      await table.draw(0, (0.1, 0.1), (0.2, 0.2))
      try await table.agree(0, 1, strokes: 2)
    }
  }
}

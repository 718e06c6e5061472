import Foundation
import GroupActivities
import Testing

@testable import DrawTogether

@Suite("A drawing")
struct DrawingTests {
  private let ana = Participant.ID(high: 1, low: 1)
  private let ben = Participant.ID(high: 1, low: 2)

  private func points(_ range: Range<Int>) -> [PicturePoint] {
    range.map { PicturePoint(parts: UInt16($0 % 65536), 7) }
  }

  @Test("It follows from each author's messages in their order, however they are mixed")
  func convergence() {
    let anas: [(inout Drawing) -> Void] = [
      { $0.append(points(0..<3), to: .init(number: 1, author: ana)) },
      { $0.append(points(3..<5), to: .init(number: 1, author: ana)) },
      { $0.append(points(0..<2), to: .init(number: 4, author: ana)) },
      { $0.remove(.init(number: 1, author: ana)) },
    ]
    let bens: [(inout Drawing) -> Void] = [
      { $0.append(points(0..<9), to: .init(number: 2, author: ben)) },
      { drawing in
        drawing.replace(
          [Stroke(id: .init(number: 3, author: ben), points: points(1..<2))], of: ben)
      },
      { $0.append(points(2..<4), to: .init(number: 3, author: ben)) },
    ]
    // All the ways to insert three messages between four.
    var seen: Set<Drawing> = []
    for mask in 0..<(1 << 7) where mask.nonzeroBitCount == 3 {
      var (a, b) = (anas[...], bens[...])
      var drawing = Drawing()
      for turn in 0..<7 {
        if mask >> turn & 1 == 1 { b.removeFirst()(&drawing) } else { a.removeFirst()(&drawing) }
      }
      seen.insert(drawing)
    }
    #expect(seen.count == 1)
    let strokes = seen.first?.strokes ?? []
    #expect(strokes.map(\.id.number) == [3, 4])
    #expect(strokes.first?.points == points(1..<4))
  }

  @Test("Its size is limited for each author; the oldest strokes are removed, for all alike")
  func limits() {
    var (drawing, other) = (Drawing(), Drawing())
    for number in 1...300 {
      let id = Stroke.ID(number: UInt64(number), author: ana)
      drawing.append(points(0..<100), to: id)
      for at in 0..<100 { other.append(points(at..<at + 1), to: id) }
    }
    #expect(drawing == other)
    #expect(drawing.strokes.reduce(0) { $0 + $1.points.count } <= Drawing.pointLimit)
    #expect(drawing.strokes.last?.id.number == 300)
    for number in 1...300 {
      drawing.append(points(0..<1), to: .init(number: UInt64(number), author: ben))
    }
    #expect(drawing.strokes(of: ben).count == Drawing.strokeLimit)
    #expect(drawing.strokes(of: ana) == other.strokes(of: ana))
  }

  @Test(
    "It accepts no author's message for another's, no stroke twice, and no number beyond the last")
  func hostile() {
    var drawing = Drawing()
    let stroke = Stroke(id: .init(number: 1, author: ben), points: points(0..<2))
    drawing.replace([stroke, stroke], of: ben)
    #expect(drawing.strokes == [stroke])
    drawing.replace([stroke], of: ana)
    #expect(drawing.strokes == [stroke])
    drawing.append(points(0..<2), to: .init(number: .max, author: ana))
    drawing.append([], to: .init(number: 5, author: ana))
    #expect(drawing.strokes == [stroke])
  }

  @Test("Decoded points equal the encoded ones, and half a point is none")
  func bytes() throws {
    let points = [PicturePoint(parts: 0, .max), PicturePoint(parts: 0x1234, 0x00FF)]
    let message = DrawingMessage.draw(number: 7, points: PointBytes(points))
    let data = try JSONEncoder().encode(message)
    #expect(try JSONDecoder().decode(DrawingMessage.self, from: data) == message)
    let odd = try JSONEncoder().encode([Data([1, 2, 3, 4, 5])])
    #expect(
      try JSONDecoder().decode([PointBytes].self, from: odd).first?.points
        == [PicturePoint(parts: 0x0102, 0x0304)])
  }

  @Test("A position outside the picture is moved to its edge")
  func edges() {
    #expect(PicturePoint(x: -3, y: 2) == PicturePoint(parts: 0, .max))
    #expect(PicturePoint(x: .nan, y: 0.5).y == 32768)
  }
}

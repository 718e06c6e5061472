import Foundation
import Testing

@testable import DrawTogether
@testable import GroupActivities

extension DrawingAuthorship {
  /// An authorship in which only the author itself makes its proofs, as long as nobody copies this line.
  fileprivate static func of(_ id: Participant.ID) -> DrawingAuthorship {
    DrawingAuthorship {
      Proof(publicKey: Data("\(id)".utf8), signature: Data($0))
    } isValid: { statement, author, proof in
      proof == Proof(publicKey: Data("\(author)".utf8), signature: Data(statement))
    }
  }
}

/// Participants of one drawing without a network: each sender's messages reach each receiver in their order, and late
/// by chance. The first one is hostile.
private struct Studio {
  enum Arrival {
    case message(DrawingMessage)
    case participants(Set<Participant.ID>)
  }

  static let mallory = Participant.ID(high: 1, low: 0)

  var dice: RandomSource
  var copies: [Participant.ID: SharedDrawing] = [:]
  /// The messages under way to a receiver, by sender. The news of who takes part comes from the receiver itself.
  var wires: [Participant.ID: [Participant.ID: [Arrival]]] = [:]
  /// The strokes of each honest author, also if it has left.
  var truth: [Participant.ID: [Stroke]] = [:]
  /// All statements that Mallory has heard.
  var stolen: [(DrawingMessage.Statement, Participant.ID)] = []
  var now: Int64 = 1_000

  init(seed: UInt64) {
    dice = RandomSource.seeded(seed)
    for low in UInt64(0)..<4 { enter(Participant.ID(high: 1, low: low)) }
  }

  static func strokes(_ drawing: Drawing) -> [Stroke] {
    drawing.strokes.filter { $0.id.author != mallory }
  }

  mutating func enter(_ id: Participant.ID) {
    copies[id] = SharedDrawing(me: id, authorship: .of(id))
    report()
  }

  mutating func leave(_ id: Participant.ID) {
    copies[id] = nil
    wires[id] = nil
    report()
  }

  private mutating func report() {
    for id in copies.keys {
      wires[id, default: [:]][id, default: []].append(.participants(Set(copies.keys)))
    }
  }

  mutating func send(
    _ message: DrawingMessage, from sender: Participant.ID, to receivers: Set<Participant.ID>? = nil
  ) {
    for id in copies.keys.sorted() where id != sender && receivers?.contains(id) != false {
      wires[id, default: [:]][sender, default: []].append(.message(message))
    }
  }

  /// Delivers one thing.
  ///
  /// - Returns: false if nothing is under way.
  mutating func deliver() -> Bool {
    let busy = wires.keys.sorted().flatMap { receiver in
      wires[receiver]!.keys.sorted().filter { !wires[receiver]![$0]!.isEmpty }.map {
        (receiver, $0)
      }
    }
    guard let (receiver, sender) = busy.randomElement(using: &dice) else { return false }
    switch wires[receiver]![sender]!.removeFirst() {
    case .message(let message):
      if receiver == Self.mallory { steal(message, from: sender) }
      if copies[receiver]!.received(message, from: sender) {
        send(.mine(copies[receiver]!.statement(now: now)), from: receiver)
        truth[receiver] = copies[receiver]!.own
      }
    case .participants(let participants):
      let (messages, newcomers) = copies[receiver]!.look(at: participants, now: now)
      guard receiver != Self.mallory else { break }
      for message in messages { send(message, from: receiver, to: newcomers) }
    }
    return true
  }

  private mutating func steal(_ message: DrawingMessage, from sender: Participant.ID) {
    switch message {
    case .mine(let statement): stolen.append((statement, sender))
    case .others(let statement, let author): stolen.append((statement, author))
    case .proven(let revision, let proof):
      let lines = copies[Self.mallory]!.drawing.strokes(of: sender).map { DrawingMessage.Line($0) }
      stolen.append((.init(revision: revision, lines: lines, proof: proof), sender))
    case .draw, .undo: break
    }
  }

  // MARK: - Acts

  mutating func act() {
    now += Int64.random(in: 0...40, using: &dice)
    let honest = copies.keys.filter { $0 != Self.mallory }.sorted()
    switch Int.random(in: 0..<12, using: &dice) {
    case 0:
      let id = Participant.ID(high: 1, low: .random(in: 1..<8, using: &dice))
      if copies[id] == nil { enter(id) }
    case 1:
      guard honest.count > 2, let id = honest.randomElement(using: &dice) else { return }
      // Its messages have arrived.
      while deliver() {}
      leave(id)
      while deliver() {}
    case 2..<8: if let id = honest.randomElement(using: &dice) { draw(id) }
    default: cheat(honest)
    }
  }

  private mutating func draw(_ id: Participant.ID) {
    if Int.random(in: 0..<4, using: &dice) == 0, let number = copies[id]!.undo() {
      send(.undo(number: number), from: id)
    } else {
      let stroke = copies[id]!.begin(at: point(), now: now)
      for piece in 0..<Int.random(in: 1..<4, using: &dice) {
        let points = [point(), point()]
        copies[id]!.append(points, to: stroke)
        let first = piece == 0 ? copies[id]!.own.last!.points.prefix(1) : []
        send(.draw(number: stroke.number, points: PointBytes(first + points)), from: id)
      }
    }
    let statement = copies[id]!.statement(now: now)
    send(.proven(revision: statement.revision, by: statement.proof), from: id)
    truth[id] = copies[id]!.own
  }

  private mutating func cheat(_ honest: [Participant.ID]) {
    let receivers = Set(copies.keys.sorted().filter { _ in Bool.random(using: &dice) })
    let victim = Participant.ID(high: 1, low: .random(in: 1..<8, using: &dice))
    let line = DrawingMessage.Line(
      Stroke(
        id: .init(number: .random(in: 0...Drawing.numberLimit, using: &dice), author: victim),
        points: [point()]))
    let proof = DrawingAuthorship.of(Self.mallory).sign([])
    let forged = DrawingMessage.Statement(
      revision: .random(in: 0 ... .max, using: &dice), lines: [line],
      proof: stolen.last?.0.proof ?? proof)
    switch Int.random(in: 0..<5, using: &dice) {
    case 0: send(.others(forged, of: victim), from: Self.mallory, to: receivers)
    case 1:
      guard let (statement, author) = stolen.randomElement(using: &dice) else { return }
      // Withheld so far, or of a stroke that its author has undone.
      send(.others(statement, of: author), from: Self.mallory, to: receivers)
    case 2: send(.mine(forged), from: Self.mallory, to: receivers)
    case 3: send(.draw(number: Drawing.numberLimit, points: line.points), from: Self.mallory)
    default:
      // Her own words about an author, with the author's proof of other words.
      guard let (words, author) = stolen.randomElement(using: &dice) else { return }
      var statement = words
      statement.revision &+= UInt64.random(in: 0..<2, using: &dice)
      statement.lines.append(line)
      send(.others(statement, of: author), from: Self.mallory, to: receivers)
    }
  }

  private mutating func point() -> PicturePoint {
    PicturePoint(
      parts: .random(in: 0 ... .max, using: &dice), .random(in: 0 ... .max, using: &dice))
  }
}

@Suite("One participant's copy of the drawing")
struct SharedDrawingTests {
  private let ana = Participant.ID(high: 1, low: 1)
  private let ben = Participant.ID(high: 1, low: 2)

  @Test(
    "All participants see what the honest ones drew, whatever order the messages come in, and whatever a hostile one says",
    arguments: UInt64(0)..<60)
  func convergence(seed: UInt64) throws {
    var studio = Studio(seed: seed)
    for _ in 0..<120 {
      studio.act()
      for _ in 0..<Int.random(in: 0..<12, using: &studio.dice) { _ = studio.deliver() }
    }
    while studio.deliver() {}
    let copies = studio.copies.filter { $0.key != Studio.mallory }.sorted { $0.key < $1.key }
    let drawn = studio.truth.values.joined().sorted { $0.id < $1.id }
    #expect(!drawn.isEmpty)
    for (id, copy) in copies {
      #expect(Studio.strokes(copy.drawing) == drawn, "seed \(seed), at \(id)")
    }
  }

  @Test("Strokes that others pass on count with their author's proof only, also in its absence")
  func borrowedName() throws {
    var anas = SharedDrawing(me: ana, authorship: .of(ana))
    let stroke = anas.begin(at: PicturePoint(parts: 1, 2), now: 1_000)
    let statement = anas.statement(now: 1_000)
    var forged = statement
    forged.lines[0].points = PointBytes([PicturePoint(parts: 3, 4)])
    var bens = SharedDrawing(me: ben, authorship: .of(ben))
    _ = bens.received(.others(forged, of: ana), from: Studio.mallory)
    #expect(bens.drawing.isEmpty)
    _ = bens.received(.others(statement, of: ana), from: Studio.mallory)
    #expect(bens.drawing.strokes.map(\.id) == [stroke])
    // Ana's own messages, which come later, don't draw it twice.
    _ = bens.received(
      .draw(number: stroke.number, points: PointBytes([PicturePoint(parts: 1, 2)])), from: ana)
    #expect(bens.drawing == anas.drawing)
    // A stroke that Ana has undone doesn't come back, neither here nor at Ana.
    _ = anas.undo()
    _ = bens.received(.undo(number: stroke.number), from: ana)
    for _ in 0..<2 {
      _ = anas.received(.others(statement, of: ana), from: Studio.mallory)
      _ = bens.received(.others(statement, of: ana), from: Studio.mallory)
    }
    #expect(anas.drawing.isEmpty && bens.drawing.isEmpty)
  }

  @Test(
    "No number of another author makes the drawing full, and later strokes lie above earlier ones")
  func numbers() {
    var anas = SharedDrawing(me: ana, authorship: .of(ana))
    let dot = PicturePoint(parts: 1, 2)
    _ = anas.received(
      .draw(number: Drawing.numberLimit, points: PointBytes([dot])), from: Studio.mallory)
    let first = anas.begin(at: dot, now: 1_000)
    let second = anas.begin(at: dot, now: 1_000)
    #expect(first.number < second.number)
    var bens = SharedDrawing(me: ben, authorship: .of(ben))
    let later = bens.begin(at: dot, now: 1_100)
    #expect(second < later)
    // A clock that a host sets wrong doesn't use the numbers up either.
    let third = anas.begin(at: dot, now: .max)
    let fourth = anas.begin(at: dot, now: .min)
    #expect(third < fourth)
    #expect(anas.own.count == 4)
  }

  @Test(
    "The strokes of two full drawings, merged, fit the messages, and everybody accepts all of them")
  func largest() throws {
    var anas = SharedDrawing(me: ana, authorship: .of(ana))
    let share = Drawing.pointLimit / Drawing.strokeLimit
    // The strokes of a drawing that lost, then those of the one that stays.
    for number in 0..<2 * Drawing.strokeLimit {
      let stroke = anas.begin(at: PicturePoint(parts: .max, UInt16(number)), now: .max)
      anas.append((1..<share).map { PicturePoint(parts: .max, UInt16($0)) }, to: stroke)
    }
    #expect(anas.own.count == Drawing.strokeLimit)
    #expect(anas.own.reduce(0) { $0 + $1.points.count } == Drawing.pointLimit)
    let statement = anas.statement(now: .max)
    func sent(_ message: DrawingMessage) throws -> DrawingMessage {
      let data = try JSONEncoder().encode(message)
      #expect(data.count <= GroupSessionMessenger.sizeLimit)
      return try JSONDecoder().decode(DrawingMessage.self, from: data)
    }
    var bens = SharedDrawing(me: ben, authorship: .of(ben))
    _ = bens.received(try sent(.mine(statement)), from: ana)
    #expect(bens.drawing == anas.drawing)
    _ = bens.look(at: [ana, ben], now: 0)
    _ = bens.look(at: [ben], now: 0)
    let chi = Participant.ID(high: 1, low: 3)
    var chis = SharedDrawing(me: chi, authorship: .of(chi))
    for message in bens.look(at: [ben, chi], now: 0).messages {
      _ = chis.received(try sent(message), from: ben)
    }
    #expect(chis.drawing == anas.drawing)
    // A statement beyond the limits is no proof, so that nobody passes on what doesn't fit.
    let many = (1...UInt64(Drawing.strokeLimit + 1)).map {
      Stroke(id: .init(number: $0, author: ana), points: [PicturePoint(parts: 1, 1)])
    }
    let large = DrawingMessage.Statement(
      revision: .max / 4, lines: many.map { .init($0) },
      proof: DrawingAuthorship.of(ana).sign(
        DrawingMessage.Statement.provenBytes(revision: .max / 4, many)))
    var dees = SharedDrawing(me: chi, authorship: .of(chi))
    _ = dees.received(.others(large, of: ana), from: ben)
    #expect(dees.drawing.isEmpty)
  }

  @Test("Participants who are present have room, however many absent ones drew")
  func room() {
    var bens = SharedDrawing(me: ben, authorship: .of(ben))
    _ = bens.look(at: [ana, ben], now: 0)
    let dot = PointBytes([PicturePoint(parts: 1, 1)])
    _ = bens.received(.draw(number: 1, points: dot), from: ana)
    for low in 0..<UInt64(2 * SharedDrawing.authorLimit) {
      let author = Participant.ID(high: 2, low: low)
      var theirs = SharedDrawing(me: author, authorship: .of(author))
      _ = theirs.begin(at: dot.points[0], now: 10)
      _ = bens.received(.others(theirs.statement(now: 10), of: author), from: Studio.mallory)
    }
    #expect(bens.drawing.strokes.count == SharedDrawing.authorLimit)
    let chi = Participant.ID(high: 1, low: 3)
    _ = bens.received(.draw(number: 5, points: dot), from: chi)
    #expect(bens.drawing.strokes.count == SharedDrawing.authorLimit)
    #expect(bens.drawing.strokes(of: chi).count == 1 && bens.drawing.strokes(of: ana).count == 1)
  }
}

import DrawTogether
import Testing

@testable import GroupActivities
@testable import Screening

@Suite("The part in the party's drawing")
struct DrawingPartTests {
  private static let me = Participant.ID(high: 1, low: 1)
  private static let ana = Participant.ID(high: 2, low: 2)

  private static func session(
    _ id: UInt64, on item: String = "film", clearings: Int = 0, isOwn: Bool = false
  ) -> DrawingPart.Session {
    DrawingPart.Session(
      id: .init(rawValue: id), activity: DrawTogether(item: item, clearings: clearings),
      initiator: isOwn ? me : ana, isLocallyInitiated: isOwn)
  }

  private static func id(_ id: UInt64) -> GroupSessionID { GroupSessionID(rawValue: id) }

  /// A part in a session on "film" that another participant began.
  private static func inside(_ session: DrawingPart.Session) -> DrawingPart {
    var part = DrawingPart()
    guard case .enter(let number, _)? = part.handle(.arrived(session)).first else { return part }
    _ = part.handle(.entered(number, on: "film"))
    return part
  }

  private static func begin(
    _ part: inout DrawingPart, on item: String? = "film", isJoined: Bool = true
  ) throws -> DrawingPart.Beginning {
    try part.begin(on: item, isInParty: true, isJoined: isJoined)
  }

  private let line = [PicturePoint(x: 0.1, y: 0.1), PicturePoint(x: 0.5, y: 0.5)]

  // MARK: - Beginning

  @Test("Drawing needs a party and a film")
  func conditions() {
    var part = DrawingPart()
    #expect(throws: DrawingProblem.noParty) {
      try part.begin(on: "film", isInParty: false, isJoined: false)
    }
    #expect(throws: DrawingProblem.noFilm) {
      try part.begin(on: nil, isInParty: true, isJoined: false)
    }
    #expect(part.attendance == .watching)
  }

  @Test("The first participant starts a drawing, and its line waits for the session")
  func starting() throws {
    var part = DrawingPart()
    let beginning = try Self.begin(&part)
    #expect(beginning == .start(1, DrawTogether(item: "film")))
    let target = part.draw(line, on: "film")
    #expect(target == nil)
    let session = Self.session(5, isOwn: true)
    let arrived = part.handle(.arrived(session))
    #expect(arrived == [.enter(2, session.id)])
    #expect(part.status(on: "film") == nil, "not there yet")
    let entered = part.handle(.entered(2, on: "film"))
    #expect(
      entered == [
        .report, .draw(in: session.id, strokesOf: nil, lines: [line]), .follow(session.id),
      ])
    #expect(part.status(on: "film")?.isDrawing == true)
    let next = part.draw(line, on: "film")
    #expect(next == session.id)
  }

  @Test("A participant who may not start a drawing only watches the next one")
  func refused() throws {
    var part = DrawingPart()
    _ = try Self.begin(&part)
    _ = part.handle(.startFailed(1))
    #expect(part.attendance == .watching)
  }

  @Test("An older start that fails doesn't undo a newer command to draw")
  func lateFailure() throws {
    var part = DrawingPart()
    _ = try Self.begin(&part, on: "film")
    _ = try Self.begin(&part, on: "other")
    _ = part.handle(.startFailed(1))
    #expect(part.attendance == .drawing)
    _ = part.handle(.startFailed(2))
    #expect(part.attendance == .watching, "as before the first command")
  }

  @Test("A start that fails after the user left the drawing doesn't bring the user back")
  func failureAfterLeaving() throws {
    var part = DrawingPart()
    _ = try Self.begin(&part)
    _ = part.handle(.left)
    _ = part.handle(.startFailed(1))
    #expect(part.attendance == .away)
  }

  @Test("In a drawing on the film, the command to draw starts no other one")
  func joining() throws {
    var part = Self.inside(Self.session(5))
    #expect(part.attendance == .watching)
    let beginning = try Self.begin(&part)
    #expect(beginning == .report)
    #expect(part.attendance == .drawing)
  }

  // MARK: - Sessions

  @Test("A drawing that another participant begins is watched and announced")
  func watching() {
    var part = DrawingPart()
    _ = part.handle(.arrived(Self.session(5)))
    let directives = part.handle(.entered(1, on: "film"))
    #expect(
      directives == [
        .report, .draw(in: Self.id(5), strokesOf: nil, lines: []),
        .announce(by: Self.ana, isReset: false), .follow(Self.id(5)),
      ])
    #expect(part.status(on: "film")?.isDrawing == false)
    #expect(part.status(on: "other") == nil, "a drawing belongs to its film")
  }

  @Test("A cleared drawing is announced as a reset, and its strokes aren't continued")
  func reset() throws {
    var part = Self.inside(Self.session(5))
    let cleared = try part.cleared()
    #expect(cleared == DrawTogether(item: "film", clearings: 1))
    let ended = part.handle(.ended(Self.id(5), isReplaced: true))
    #expect(ended == [.report])
    _ = part.handle(.arrived(Self.session(6, clearings: 1)))
    let directives = part.handle(.entered(2, on: "film"))
    #expect(
      directives == [
        .report, .draw(in: Self.id(6), strokesOf: nil, lines: []),
        .announce(by: Self.ana, isReset: true), .follow(Self.id(6)), .release(Self.id(5)),
      ])
  }

  @Test(
    "Of two drawings that begin at the same time, the one that stays takes over the strokes, and is no reset",
    arguments: [false, true])
  func simultaneous(endsFirst: Bool) {
    var part = Self.inside(Self.session(5))
    if endsFirst { _ = part.handle(.ended(Self.id(5), isReplaced: true)) }
    _ = part.handle(.arrived(Self.session(6)))
    let directives = part.handle(.entered(2, on: "film"))
    #expect(
      directives == [
        .report, .draw(in: Self.id(6), strokesOf: Self.id(5), lines: []),
        .announce(by: Self.ana, isReset: false), .follow(Self.id(6)), .release(Self.id(5)),
      ])
  }

  @Test("A session that is replaced while it is being entered passes on the strokes before it")
  func replacedOnTheWay() {
    var part = Self.inside(Self.session(5))
    _ = part.handle(.arrived(Self.session(6)))
    let third = part.handle(.arrived(Self.session(7)))
    #expect(third == [.enter(3, Self.id(7)), .release(Self.id(6))])
    let late = part.handle(.entered(2, on: "film"))
    #expect(late == [], "another session is being entered")
    let directives = part.handle(.entered(3, on: "film"))
    #expect(directives.contains(.draw(in: Self.id(7), strokesOf: Self.id(5), lines: [])))
  }

  @Test("A session that arrives again is entered once")
  func again() {
    var part = DrawingPart()
    _ = part.handle(.arrived(Self.session(5)))
    let early = part.handle(.arrived(Self.session(5)))
    #expect(early == [])
    _ = part.handle(.entered(1, on: "film"))
    let late = part.handle(.arrived(Self.session(5)))
    #expect(late == [])
  }

  @Test("A participant who drew on the previous film only watches the drawing on the next one")
  func nextFilm() throws {
    var part = Self.inside(Self.session(5))
    _ = try Self.begin(&part)
    _ = part.handle(.arrived(Self.session(6, on: "next")))
    #expect(part.attendance == .watching)
  }

  @Test("A line for the film waits while the party draws on another one")
  func otherFilm() throws {
    var part = DrawingPart()
    _ = try Self.begin(&part, on: "film")
    _ = part.draw(line, on: "film")
    _ = part.handle(.arrived(Self.session(5, on: "other")))
    let other = part.handle(.entered(2, on: "film"))
    #expect(other.contains(.draw(in: Self.id(5), strokesOf: nil, lines: [])))
    _ = part.handle(.arrived(Self.session(6)))
    let film = part.handle(.entered(3, on: "film"))
    #expect(film.contains(.draw(in: Self.id(6), strokesOf: nil, lines: [line])))
  }

  @Test("After the end of the drawing, the command to draw starts a new one")
  func over() throws {
    var part = Self.inside(Self.session(5))
    _ = try Self.begin(&part)
    _ = part.handle(.over)
    #expect(part.attendance == .watching)
    let ended = part.handle(.ended(Self.id(5), isReplaced: false))
    #expect(ended == [.report, .release(Self.id(5))])
    #expect(throws: DrawingProblem.noDrawing) { try part.cleared() }
    let beginning = try Self.begin(&part, isJoined: false)
    guard case .start = beginning else {
      Issue.record("\(beginning)")
      return
    }
  }

  // MARK: - Leaving

  @Test("A participant who left the drawing stays away from the next ones, until it draws again")
  func away() throws {
    var part = Self.inside(Self.session(5))
    let left = part.handle(.left)
    #expect(left == [.report, .leave(Self.id(5))])
    #expect(part.status(on: "film") == nil)
    let next = part.handle(.arrived(Self.session(6, clearings: 1)))
    #expect(next == [])
    let beginning = try Self.begin(&part)
    #expect(beginning == .followAgain)
    let again = part.handle(.arrived(Self.session(6, clearings: 1)))
    #expect(again == [.enter(2, Self.id(6))])
    let entered = part.handle(.entered(2, on: "film"))
    #expect(!entered.contains(.announce(by: Self.ana, isReset: true)), "known already")
  }

  @Test("A participant who leaves while it enters a drawing isn't in it afterwards")
  func leavingEarly() {
    var part = DrawingPart()
    _ = part.handle(.arrived(Self.session(5)))
    _ = part.draw(line, on: "film")
    let left = part.handle(.left)
    #expect(left == [.report, .leave(Self.id(5))])
    let late = part.handle(.entered(1, on: "film"))
    #expect(late == [])
    #expect(part.current == nil)
  }

  @Test("Nothing of a party's drawing is left after the party, and late answers change nothing")
  func leftParty() {
    var part = DrawingPart()
    _ = part.handle(.arrived(Self.session(5)))
    _ = part.handle(.leftParty)
    _ = part.handle(.arrived(Self.session(6)))
    let late = part.handle(.entered(1, on: "film"))
    #expect(late == [])
    #expect(part.current == nil)
    let entered = part.handle(.entered(2, on: "film"))
    #expect(entered.first == .report)
  }

  // MARK: - The drawing

  @Test("The names of authors stay after they left the party")
  func authors() {
    var part = Self.inside(Self.session(5))
    _ = part.handle(.drew(Self.id(5), Drawing(), names: [Self.ana: "Ana"]))
    let directives = part.handle(.drew(Self.id(5), Drawing(), names: [Self.me: "Me"]))
    #expect(directives == [.report])
    #expect(part.status(on: "film")?.authors == [Self.ana: "Ana", Self.me: "Me"])
  }

  @Test("Changes of another session's drawing are ignored")
  func stale() {
    var part = Self.inside(Self.session(5))
    let drew = part.handle(.drew(Self.id(4), Drawing(), names: [Self.ana: "Ana"]))
    #expect(drew == [])
    let ended = part.handle(.ended(Self.id(4), isReplaced: false))
    #expect(ended == [])
    #expect(part.current == Self.id(5))
  }
}

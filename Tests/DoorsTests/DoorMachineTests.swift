import GroupActivities
import Testing
import Timekeeping

@testable import Doors

@Suite("The door for pages")
struct DoorMachineTests {
  private var door = Samples.door()
  private let now = Samples.start
  private let enter = #"{"t":"enter","name":"Mia","plays":["avc1","aac"]}"#

  /// Lets a page look for the door.
  private mutating func offer(to page: inout Page, at now: HostTime? = nil) throws -> PageSeal.Offer
  {
    guard
      case .send(let bytes, page.id)? = door.received(hello: page.hello(), at: now ?? self.now)
        .first
    else { throw Unexpected() }
    return try page.open(bytes)
  }

  private mutating func frame(
    _ json: String, of page: inout Page, at now: HostTime? = nil
  ) -> [DoorMachine.Effect] {
    door.received(frame: page.frame(json), at: now ?? self.now)
  }

  private struct Unexpected: Error {}

  @Test("A page with a link comes in, and its requests arrive")
  mutating func comesIn() throws {
    var page = Page(Samples.link)
    door.rank = 2
    let offer = try offer(to: &page)
    #expect(offer.keeper == "Ana" && offer.rank == 2 && offer.refused == nil)
    #expect(offer.door == "\(door.id)")
    #expect(
      frame(enter, of: &page) == [.enter(Samples.link, name: "Mia", plays: ["avc1", "aac"])])
    #expect(
      frame(#"{"t":"seek","to":12.5}"#, of: &page) == [
        .request(Samples.link.number, .seek(to: 12.5))
      ])
  }

  @Test("A door's messages reach the page, and nobody reads them on the way")
  mutating func answers() throws {
    var page = Page(Samples.link)
    _ = try offer(to: &page)
    _ = frame(enter, of: &page)
    guard
      case .send(let bytes, page.id)? = door.send(
        [0] + Array("hello".utf8), to: Samples.link.number
      ).first
    else { throw Unexpected() }
    #expect(try page.text(of: bytes) == "hello")
    #expect(!String(decoding: bytes, as: UTF8.self).contains("hello"))
  }

  @Test("Without the link there is no answer")
  mutating func strangers() throws {
    let other = try Invite(Samples.invite.text.dropLast() + "g")
    #expect(door.received(hello: Page(PageLink(1, to: other)).hello(), at: now) == [])
    var hello = Page(Samples.link).hello()
    for index in hello.indices {
      hello[index] ^= 1
      #expect(door.received(hello: hello, at: now) == [])
      hello[index] ^= 1
    }
    for count in 0..<hello.count {
      #expect(door.received(hello: Array(hello.prefix(count)), at: now) == [])
    }
  }

  @Test("The first frame enters; forged and repeated frames have no effect")
  mutating func frames() throws {
    var page = Page(Samples.link)
    _ = try offer(to: &page)
    #expect(frame(#"{"t":"play"}"#, of: &page) == [])
    let entering = page.frame(enter)
    #expect(door.received(frame: entering, at: now).count == 1)
    #expect(door.received(frame: entering, at: now) == [])
    var play = page.frame(#"{"t":"play"}"#)
    play[play.count - 1] ^= 1
    #expect(door.received(frame: play, at: now) == [])
    play[play.count - 1] ^= 1
    #expect(door.received(frame: play, at: now).count == 1)
    #expect(door.received(frame: play, at: now) == [])
  }

  @Test("One link is one participant: the same browser comes back to it, another one is refused")
  mutating func oneParticipant() throws {
    var page = Page(Samples.link)
    _ = try offer(to: &page)
    _ = frame(enter, of: &page)
    var other = Page(Samples.link, number: 2, tab: "another")
    #expect(try offer(to: &other).refused == .inUse)
    #expect(frame(enter, of: &other) == [])
    var again = Page(Samples.link, number: 3)
    #expect(try offer(to: &again).refused == nil)
    #expect(frame(enter, of: &again) == [.resume(Samples.link.number, plays: ["avc1", "aac"])])
    #expect(frame(#"{"t":"play"}"#, of: &page) == [], "the page before it has no door")
  }

  @Test("Two browsers that got an offer at the same time don't share a link")
  mutating func race() throws {
    var page = Page(Samples.link)
    var other = Page(Samples.link, number: 2, tab: "another")
    #expect(try offer(to: &page).refused == nil && offer(to: &other).refused == nil)
    #expect(frame(enter, of: &page).count == 1)
    #expect(frame(enter, of: &other) == [])
  }

  @Test("A door takes a number of guests, and a page that leaves makes room")
  mutating func room() throws {
    var pages: [Page] = []
    for number in 0..<UInt8(DoorMachine.guestLimit) {
      var page = Page(PageLink(UInt64(number), to: Samples.invite), number: number)
      #expect(try offer(to: &page).refused == nil)
      _ = frame(enter, of: &page)
      pages.append(page)
    }
    var late = Page(Samples.link, number: 99)
    #expect(try offer(to: &late).refused == .full)
    #expect(frame(#"{"t":"bye"}"#, of: &pages[3]) == [.leave(3)])
    #expect(try offer(to: &late).refused == nil)
  }

  @Test("A page that falls silent is gone; one that is heard isn't")
  mutating func silence() throws {
    var page = Page(Samples.link)
    _ = try offer(to: &page)
    _ = frame(enter, of: &page)
    let later = now + DoorMachine.silence / 2
    _ = frame(#"{"t":"clock","a":1}"#, of: &page, at: later)
    #expect(door.nextDeadline == later + DoorMachine.silence)
    #expect(door.timerFired(at: now + DoorMachine.silence) == [])
    #expect(door.timerFired(at: later + DoorMachine.silence) == [.leave(Samples.link.number)])
    #expect(door.nextDeadline == nil)
  }

  @Test("Pages that don't answer an offer are forgotten, and their number has a limit")
  mutating func visitors() throws {
    var pages: [Page] = []
    for number in 0..<40 {
      var page = Page(PageLink(UInt64(number), to: Samples.invite), number: UInt8(number))
      _ = try offer(to: &page)
      pages.append(page)
    }
    // The guests have a limit of their own: it isn't what refuses the last ones here.
    #expect(frame(enter, of: &pages[39]) == [])
    #expect(frame(enter, of: &pages[0]).count == 1)
    #expect(door.timerFired(at: now + DoorMachine.offerTime) == [.leave(0)])
    #expect(frame(enter, of: &pages[1]) == [])
  }

  @Test("A page that asks for too much isn't heard for a while")
  mutating func flood() throws {
    var page = Page(Samples.link)
    _ = try offer(to: &page)
    _ = frame(enter, of: &page)
    let heard = (0..<3000).count { _ in !frame(#"{"t":"play"}"#, of: &page).isEmpty }
    #expect(heard == 1000)
    #expect(!frame(#"{"t":"play"}"#, of: &page, at: now + .seconds(1)).isEmpty)
    let answers = (0..<200).count { number in
      !door.received(hello: Page(Samples.link, number: 9).hello(nonce: UInt8(number)), at: now)
        .isEmpty
    }
    #expect(answers < 40)
  }
}

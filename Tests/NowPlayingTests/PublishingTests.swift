import Foundation
import Testing
import Timekeeping

@testable import NowPlaying

@Suite("Signals on the bus")
struct PublishingTests {
  @Test("No name is owned before there is something to play, and none after the end")
  func appearing() {
    var desk = Desk()
    let state = desk.publication.state
    desk.publication.state = nil
    #expect(desk.publish() == [])
    desk.publication.state = state
    #expect(desk.publish() == [.appear])
    #expect(desk.machine.publish(nil, at: desk.now) == [.disappear])
    #expect(desk.machine.publish(nil, at: desk.now) == [])
  }

  @Test("No signal is sent while only the time changes")
  func steady() {
    var desk = Desk()
    _ = desk.publish()
    for _ in 0..<600 {
      desk.pass(.milliseconds(100))
      #expect(desk.publish() == [])
    }
    #expect(desk.get("Position") == .int64(70_000_000))
  }

  @Test("A varying measurement is no jump, and small errors don't add up to an unnoticed one")
  func wavering() {
    var desk = Desk()
    _ = desk.publish()
    var signals: [MPRISMachine.Action] = []
    // 10 ms too slow each second, which readers don't know.
    for _ in 0..<40 {
      desk.pass(.seconds(1))
      let position = desk.publication.state!.elapsedTime
      desk.publication.state?.elapsedTime = position - .milliseconds(10)
      signals += desk.publish()
    }
    #expect(signals.count == 1, "readers are corrected once they are off by a quarter of a second")
    guard case .signal(let signal)? = signals.first else { return }
    #expect(signal.member == "Seeked")
  }

  @Test("A change causes one signal with all changed properties, and never with Position")
  func changes() {
    var desk = Desk()
    _ = desk.publish()
    desk.pass(.seconds(5))
    desk.publication.state?.status = .paused
    desk.publication.state?.volume = 0.25
    #expect(
      desk.publish() == [
        Desk.changed(["PlaybackStatus": .string("Paused"), "Volume": .double(0.25)])
      ])
    #expect(desk.publish() == [])
    desk.publication.state?.rate = 1.5
    #expect(desk.publish() == [Desk.changed(["Rate": .double(1.5)])])
  }

  @Test("A jump causes the signal Seeked, forwards and back, playing and paused")
  func jumps() {
    var desk = Desk()
    _ = desk.publish()
    desk.publication.state?.elapsedTime = MediaTime(seconds: 60)
    #expect(desk.publish() == [Desk.seeked(60)])
    desk.publication.state?.elapsedTime = .zero
    #expect(desk.publish() == [Desk.seeked(0)])
    desk.publication.state?.status = .paused
    _ = desk.publish()
    // The paused position is known a little later: this is not a jump.
    desk.pass(.milliseconds(30))
    desk.publication.state?.elapsedTime = MediaTime(seconds: 0.01)
    #expect(desk.publish() == [])
    desk.pass(.seconds(1))
    // A difference of one frame.
    desk.publication.state?.elapsedTime = MediaTime(seconds: 0.04)
    #expect(desk.publish() == [Desk.seeked(0.04)])
    #expect(desk.publish() == [])
    // Beyond the end, and before the start: readers never see negative positions.
    desk.publication.state?.elapsedTime = MediaTime(seconds: -5)
    #expect(desk.publish() == [Desk.seeked(0)])
    desk.publication.state?.elapsedTime = MediaTime(seconds: 500)
    #expect(desk.publish() == [Desk.seeked(100)])
  }

  @Test("After a wait for the others readers learn where playback really began")
  func waiting() {
    var desk = Desk(status: .paused)
    _ = desk.publish()
    desk.publication.state?.status = .waiting
    #expect(desk.publish() == [Desk.changed(["PlaybackStatus": .string("Playing")])])
    for _ in 0..<5 {
      desk.pass(.seconds(1))
      #expect(desk.publish() == [], "it is paused: no signal")
    }
    #expect(desk.get("Position") == .int64(10_000_000))
    desk.publication.state?.status = .playing
    #expect(desk.publish() == [Desk.seeked(10)])
    desk.pass(.seconds(3))
    #expect(desk.publish() == [])
  }

  @Test("Another track has another id; Seeked is sent only if it doesn't begin at its start")
  func nextTrack() {
    var desk = Desk()
    _ = desk.publish()
    let queue = desk.publication.queue
    desk.publication.state?.item = queue[1]
    desk.publication.state?.elapsedTime = .zero
    #expect(
      desk.publish() == [
        Desk.changed(["Metadata": .dictionary(["mpris:trackid": .objectPath("/example/track/b")])])
      ])
    desk.publication.state?.item = queue[2]
    desk.publication.state?.elapsedTime = MediaTime(seconds: 30)
    #expect(desk.publish().last == Desk.seeked(30))
  }

  @Test("Players are informed when there is nothing to play any more")
  func stopped() {
    var desk = Desk()
    _ = desk.publish()
    desk.publication.state = nil
    _ = desk.publish()
    #expect(desk.get("PlaybackStatus") == .string("Stopped"))
    #expect(
      desk.get("Metadata") == .dictionary(["mpris:trackid": .objectPath(TrackPath.none)]))
    #expect(desk.get("CanPlay") == .bool(false) && desk.get("CanControl") == .bool(true))
    #expect(desk.call("Play") == .ignored)
  }

  @Test("Advertisements count neither in length nor in elapsed time, and can't be skipped")
  func advertisements() {
    var desk = Desk()
    desk.publication.state?.item.adTimeRanges = AdTimeRanges([
      MediaTime(seconds: 0)..<MediaTime(seconds: 5),
      MediaTime(seconds: 20)..<MediaTime(seconds: 30),
    ])
    _ = desk.publish()
    guard case .dictionary(let metadata)? = desk.get("Metadata") else {
      Issue.record("no metadata")
      return
    }
    #expect(metadata["mpris:length"] == .int64(85_000_000))
    #expect(desk.get("Position") == .int64(5_000_000))
    // A position in the content is one in the item, past the advertisement.
    #expect(
      desk.call("SetPosition", .objectPath("/example/track/a"), .int64(40_000_000))
        == .perform(.changePosition(MediaTime(seconds: 55))))
    #expect(desk.machine.nextChange(after: desk.now) == desk.now + .seconds(10))
    desk.pass(.seconds(12))
    #expect(
      desk.publish() == [
        Desk.changed([
          "CanSeek": .bool(false), "CanGoNext": .bool(false), "CanGoPrevious": .bool(false),
          "MinimumRate": .double(1), "MaximumRate": .double(1),
        ])
      ])
    #expect(desk.get("Position") == .int64(15_000_000))
    #expect(desk.call("Seek", .int64(5_000_000)) == .ignored)
    #expect(desk.call("Pause") == .perform(.pause))
    desk.pass(.seconds(10))
    #expect(
      desk.publish() == [
        Desk.changed([
          "CanSeek": .bool(true), "CanGoNext": .bool(true), "CanGoPrevious": .bool(true),
          "MinimumRate": .double(0.5), "MaximumRate": .double(2),
        ]), Desk.seeked(17),
      ])
    #expect(desk.machine.nextChange(after: desk.now) == nil)
  }

  @Test("Changes of the queue are signalled one by one, and Tracks only as invalidated")
  func queue() {
    var desk = Desk()
    _ = desk.publish()
    let invalid = Desk.changed([:], invalidated: ["Tracks"], of: Desk.trackList)
    let second = desk.publication.queue[1]
    desk.publication.state?.queue.remove(at: 1)
    #expect(
      desk.publish() == [
        invalid, Desk.trackList("TrackRemoved", .objectPath("/example/track/b")),
      ])
    desk.publication.state?.queue.append(second)
    #expect(
      desk.publish() == [
        invalid,
        Desk.trackList(
          "TrackAdded", .dictionary(["mpris:trackid": .objectPath("/example/track/b")]),
          .objectPath("/example/track/c")),
      ])
    desk.publication.state?.queue.reverse()
    #expect(
      desk.publish() == [
        invalid,
        Desk.trackList(
          "TrackListReplaced",
          .paths(["/example/track/b", "/example/track/c", "/example/track/a"]),
          .objectPath("/example/track/a")),
      ])
    desk.publication.state?.queue[0].nowPlayingInfo.title = "Second"
    #expect(
      desk.publish() == [
        Desk.trackList(
          "TrackMetadataChanged", .objectPath("/example/track/b"),
          .dictionary([
            "mpris:trackid": .objectPath("/example/track/b"), "xesam:title": .string("Second"),
          ]))
      ])
  }

  @Test("When several players play as one, a playing one is shown")
  func angles() {
    var states: [NowPlayingState] = []
    for (id, status) in [("a", NowPlayingState.Status.paused), ("b", .playing), ("c", .playing)] {
      states.append(NowPlayingState(item: NowPlayingItem(id: id), status: status))
    }
    #expect(NowPlayingState.shown(of: states)?.item.id == "b")
    #expect(NowPlayingState.shown(of: [states[0]])?.item.id == "a")
    #expect(NowPlayingState.shown(of: []) == nil)
  }
}

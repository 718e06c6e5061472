import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("The last known position")
struct KnownPositionTests {
  private let time = HostTime.now()

  private func frame(_ itemTime: MediaTime) -> PausedPosition { PausedPosition(itemTime: itemTime) }

  @Test("It moves with the clock while the player does, up to the film's end")
  func moving() {
    var known = KnownPosition()
    #expect(known.itemTime(at: time, isMoving: true, duration: nil) == nil)
    known.continues(at: 10.0, hostTime: time, rate: 2, uncertainty: .zero)
    let later = time + .seconds(3)
    #expect(known.itemTime(at: later, isMoving: true, duration: nil) == 16.0)
    #expect(known.itemTime(at: later, isMoving: true, duration: 12.0) == 12.0)
    #expect(known.itemTime(at: later, isMoving: false, duration: nil) == 10.0)
    known.forget()
    #expect(known.itemTime(at: later, isMoving: true, duration: nil) == nil)
  }

  private func position(_ itemTime: MediaTime, after time: Duration) -> PlayerPosition {
    PlayerPosition(
      itemTime: itemTime, hostTime: self.time + time, rate: 1, uncertainty: .zero, source: .audio)
  }

  @Test("A moving player that is suddenly elsewhere has jumped by itself, and says so once")
  func jumped() {
    var known = KnownPosition()
    known.measured(position(10.0, after: .zero))
    known.measured(position(11.01, after: .seconds(1)))
    var jumps = [known.takeJump()]
    known.measured(position(21.0, after: .seconds(2)))
    jumps += [known.takeJump(), known.takeJump()]
    // Time stamps may begin again.
    known.measured(position(1.0, after: .seconds(3)))
    jumps.append(known.takeJump())
    #expect(jumps == [false, true, false, true])
  }

  @Test("A player that stood still, was moved, or begins to move hasn't jumped by itself")
  func notJumped() {
    var known = KnownPosition()
    known.measured(position(10.0, after: .zero))
    known.measured(position(10.5, after: .seconds(20)))
    known.continues(at: 50.0, hostTime: time + .seconds(21), rate: 0, uncertainty: .zero)
    known.measured(position(60.0, after: .seconds(30)))
    #expect(!known.hasJumped)
  }

  @Test("Another frame is more than half a frame away, from a position that was read")
  func otherFrame() {
    var known = KnownPosition()
    let duration = Duration.milliseconds(40)
    #expect(!known.isOtherFrame(frame(11.0), frameDuration: duration), "none is known")
    known.continues(at: 10.0, hostTime: time, rate: 0, uncertainty: .milliseconds(20))
    #expect(!known.isOtherFrame(frame(11.0), frameDuration: duration), "it was extrapolated")
    known.paused(at: 10.0, hostTime: time)
    #expect(!known.isOtherFrame(frame(10.02), frameDuration: duration))
    #expect(known.isOtherFrame(frame(10.04), frameDuration: duration))
    #expect(known.isOtherFrame(frame(9.96), frameDuration: duration))
    #expect(known.isOtherFrame(frame(10.01), frameDuration: nil))
    // mpv has gone to the last frame.
    #expect(!known.isOtherFrame(frame(2.0), frameDuration: duration))
    #expect(known.prevails(over: frame(2.0)) && !known.prevails(over: frame(18.0)))
  }

  @Test("The sound's position moves with the speed also while paused, which is no other frame")
  func sameSound() {
    let duration = Duration.milliseconds(40)
    for picture in [PausedPosition.Picture.none, .lasting] {
      var known = KnownPosition()
      let moved = PausedPosition(itemTime: 18.3, picture: picture)
      #expect(!known.prevails(over: moved), "none is known")
      known.paused(at: PausedPosition(itemTime: 18.5, picture: picture), hostTime: time)
      #expect(!known.isOtherFrame(moved, frameDuration: duration) && known.prevails(over: moved))
      #expect(known.isOtherFrame(frame(20.0), frameDuration: duration))
      #expect(!known.prevails(over: frame(20.0)))
      let before = frame(12.0)
      #expect(!known.isOtherFrame(before, frameDuration: duration) && known.prevails(over: before))
    }
  }

  @Test("A primed position is exact, for one speed, until something else happens")
  func primed() {
    var known = KnownPosition()
    #expect(known.primedPosition(at: time) == nil && !known.isPrimed(for: 1))
    known.primed(at: 5.0, target: 5.0, speed: 1.5)
    #expect(known.isPrimed(for: 1.5) && !known.isPrimed(for: 1))
    #expect(known.primedPosition(at: time)?.isExact == true)
    known.unprime()
    #expect(known.primedPosition(at: time) == nil)
  }
}

@Suite("The position of a paused player")
struct PausedPositionTests {
  private func read(
    shown: MediaTime?, heard: MediaTime?, delay: Duration = .zero, hasVideo: Bool = true,
    hasSlides: Bool = false
  ) -> PausedPosition? {
    PausedPosition(
      shown: shown, heard: heard, delay: delay, hasVideo: hasVideo, hasSlides: hasSlides)
  }

  @Test("It is the shown frame's, however far the sound is ahead by the user's own delay")
  func frame() {
    let frame = PausedPosition(itemTime: 19.56, picture: .frame)
    #expect(read(shown: 19.56, heard: 19.52) == frame && read(shown: 19.56, heard: nil) == frame)
    #expect(read(shown: 19.56, heard: 20.06, delay: .milliseconds(-500)) == frame)
  }

  @Test("A frame that a busy machine shows late doesn't last, as a slide does")
  func late() {
    #expect(read(shown: 60.04, heard: 60.48) == PausedPosition(itemTime: 60.04, picture: .frame))
    #expect(
      read(shown: 60.04, heard: 60.48, hasSlides: true)
        == PausedPosition(itemTime: 60.48, picture: .lasting))
  }

  @Test("While a picture lasts, and after its end, it is the sound's")
  func sound() {
    #expect(
      read(shown: 15.02, heard: 18.5) == PausedPosition(itemTime: 18.5, picture: .lasting))
    #expect(read(shown: 31.25, heard: 31.25) == PausedPosition(itemTime: 31.25, picture: .none))
    #expect(
      read(shown: 31.2, heard: 31.25, hasVideo: false)
        == PausedPosition(itemTime: 31.25, picture: .none))
    #expect(read(shown: nil, heard: nil) == nil)
  }

  private func sought(to target: MediaTime, found: MediaTime) -> PausedPosition? {
    PausedPosition.afterSeek(
      to: target, found: PausedPosition(itemTime: found), duration: 60.0, hasVideo: true,
      hasAudio: true)
  }

  @Test("After a seek to a position without a picture, the sound begins exactly there")
  func seek() {
    #expect(sought(to: 30.0, found: 29.81) == PausedPosition(itemTime: 30.0, picture: .none))
    let frames: [(target: MediaTime, found: MediaTime)] = [
      (18.5, 18.52), (18.5, 18.496), (60.0, 59.96), (30.0, 10.0),
    ]
    for (target, found) in frames {
      #expect(sought(to: target, found: found) == PausedPosition(itemTime: found))
    }
  }
}

@Suite("The state that mpv has reported")
struct ReportedStateTests {
  private func track(_ type: String, _ id: Int64) -> MPVValue {
    .map(["id": .integer(id), "type": .string(type), "selected": .flag(true)])
  }

  @Test("A report is a change only once")
  func changes() {
    var state = ReportedState()
    let tracks = MPVValue.array([track("video", 1), track("sub", 1)])
    let found = [
      state.paused(true), state.paused(false), state.muted(true), state.muted(true),
      state.volumeChanged(nil), state.volumeChanged(30), state.tracksChanged(tracks),
      state.tracksChanged(tracks), state.subtitleTextChanged(nil), state.subtitleTextChanged("a"),
    ]
    #expect(
      found == [false, true, true, false, false, true, true, false, false, true])
    #expect(state.hasVideo && state.hasSubtitles && state.volume == 30)
    state.subtitlesShown(false)
    #expect(!state.hasSubtitles)
  }

  @Test("The loaded percentage is known while playback waits for data")
  func percentage() {
    var state = ReportedState()
    state.buffering(140)
    let isKnown = state.updateLoadedPercent()
    #expect(!isKnown)
    _ = state.stalled(true)
    let isNew = state.updateLoadedPercent()
    #expect(isNew && state.loadedPercent == 100)
    _ = state.stalled(false)
    let isGone = state.updateLoadedPercent()
    #expect(isGone && state.loadedPercent == nil)
  }

  @Test("A live stream has no duration, and can be sought in nevertheless")
  func live() {
    var state = ReportedState()
    let isTaken = [
      state.took(MPVProperty.duration, .double(30), isLive: true),
      state.took(MPVProperty.seekable, .flag(true), isLive: true),
      state.took(MPVProperty.pause, .flag(true), isLive: true),
    ]
    #expect(isTaken == [true, true, false])
    #expect(state.duration == nil && state.canSeek(isLive: true) && !state.canSeek(isLive: false))
    _ = state.took(MPVProperty.duration, .double(30), isLive: false)
    #expect(state.duration == 30.0 && state.canSeek(isLive: false))
  }

  @Test("A late report of the time between two files doesn't undo what was read of the next one")
  func betweenFiles() {
    var state = ReportedState()
    for (name, value) in [
      (MPVProperty.duration, MPVValue.double(30)), (MPVProperty.seekable, .flag(true)),
    ] {
      _ = state.took(name, value, isLive: false)
      _ = state.took(name, .none, isLive: false)
    }
    #expect(state.duration == 30.0 && state.canSeek(isLive: false))
    state.fileStarted()
    #expect(state.duration == nil)
  }

  @Test("A film over a network is ready with two seconds of data, at its rate, or all of the rest")
  func ready() {
    var state = ReportedState()
    #expect(state.isReady(rate: 1, from: nil, isCacheFull: false), "a local file")
    _ = state.took(MPVProperty.demuxerViaNetwork, .flag(true), isLive: false)
    _ = state.took(MPVProperty.duration, .double(100), isLive: false)
    #expect(!state.isReady(rate: 1, from: 10.0, isCacheFull: false), "nothing has arrived")
    state.buffered(until: 12.0)
    #expect(state.isReady(rate: 1, from: 10.0, isCacheFull: false))
    #expect(!state.isReady(rate: 1.5, from: 10.0, isCacheFull: false))
    #expect(state.isReady(rate: 1.5, from: 10.0, isCacheFull: true))
    #expect(!state.isReady(rate: 1, from: nil, isCacheFull: false))
    state.buffered(until: 99.6)
    #expect(state.isReady(rate: 1, from: 99.5, isCacheFull: false))
  }
}

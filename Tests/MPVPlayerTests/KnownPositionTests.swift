import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("The last known position")
struct KnownPositionTests {
  private let time = HostTime.now()

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

  @Test("Another frame is more than half a frame away, from a position that was read")
  func otherFrame() {
    var known = KnownPosition()
    let frame = Duration.milliseconds(40)
    #expect(!known.isOtherFrame(11.0, frameDuration: frame), "none is known")
    known.continues(at: 10.0, hostTime: time, rate: 0, uncertainty: .milliseconds(20))
    #expect(!known.isOtherFrame(11.0, frameDuration: frame), "it was extrapolated")
    known.paused(at: 10.0, hostTime: time)
    #expect(!known.isOtherFrame(10.02, frameDuration: frame))
    #expect(known.isOtherFrame(10.04, frameDuration: frame))
    #expect(known.isOtherFrame(9.96, frameDuration: frame))
    #expect(known.isOtherFrame(10.01, frameDuration: nil))
  }

  @Test("A primed position is exact, for one speed, until something else happens")
  func primed() {
    var known = KnownPosition()
    #expect(known.primedPosition(at: time) == nil && !known.isPrimed(for: 1))
    known.primed(at: 5.0, speed: 1.5)
    #expect(known.isPrimed(for: 1.5) && !known.isPrimed(for: 1))
    #expect(known.primedPosition(at: time)?.isExact == true)
    known.unprime()
    #expect(known.primedPosition(at: time) == nil)
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

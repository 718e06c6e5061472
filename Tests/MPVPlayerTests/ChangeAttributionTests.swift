import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("The attribution of changes") struct ChangeAttributionTests {
  private let frame = Duration.milliseconds(40)
  private let start = HostTime.now()
  private var later: HostTime { start + .seconds(1) }

  private func paused() -> ChangeAttribution {
    var attribution = ChangeAttribution()
    attribution.wrotePause(true, at: start)
    return attribution
  }

  private func playing() -> ChangeAttribution {
    var attribution = ChangeAttribution()
    attribution.wrotePause(false, at: start)
    return attribution
  }

  // MARK: Pause

  @Test("The player's own pause isn't foreign")
  func ownPause() {
    var attribution = paused()
    #expect(attribution.observedPause(true) == false)
  }

  @Test("A pause that the player didn't write is foreign, once")
  func foreignPause() {
    var attribution = playing()
    #expect(attribution.observedPause(true) == true)
    #expect(
      attribution.readPause(true, isAtEnd: false, isSecondReading: false) == .changed(.paused))
    #expect(attribution.readPause(true, isAtEnd: false, isSecondReading: false) == .none)
  }

  @Test("A change event that is older than the player's answer proves nothing")
  func staleEvent() {
    var attribution = playing()
    // A foreign pause, our own unpausing, and the event of the former after the answer to the latter.
    attribution.wrotePause(false, at: start)
    #expect(attribution.observedPause(true) == true)
    #expect(attribution.readPause(false, isAtEnd: false, isSecondReading: false) == .none)
  }

  @Test("A pause by mpv at the end isn't foreign")
  func endPause() {
    var attribution = playing()
    #expect(attribution.observedPause(true) == true)
    #expect(attribution.readPause(true, isAtEnd: true, isSecondReading: false) == .none)
    #expect(attribution.isPaused)
  }

  @Test("A resume counts once it has lasted longer than a frame")
  func foreignResume() {
    var attribution = paused()
    #expect(attribution.observedPause(false) == true)
    #expect(attribution.readPause(false, isAtEnd: false, isSecondReading: false) == .inDoubt)
    #expect(
      attribution.readPause(false, isAtEnd: false, isSecondReading: true) == .changed(.resumed))
  }

  @Test("A resume for one frame is a step")
  func frameStep() {
    var attribution = paused()
    #expect(attribution.observedPause(false) == true)
    #expect(attribution.readPause(false, isAtEnd: false, isSecondReading: false) == .inDoubt)
    #expect(attribution.observedPause(true) == true)
    #expect(attribution.readPause(true, isAtEnd: false, isSecondReading: false) == .comparePosition)
    #expect(attribution.readPause(true, isAtEnd: false, isSecondReading: true) == .none)
  }

  @Test("An uncertain resume that the player's own start overtakes is its own")
  func overtaken() {
    var attribution = paused()
    #expect(attribution.observedPause(false) == true)
    #expect(attribution.readPause(false, isAtEnd: false, isSecondReading: false) == .inDoubt)
    attribution.wrotePause(false, at: start)
    #expect(attribution.readPause(false, isAtEnd: false, isSecondReading: true) == .none)
  }

  @Test("A pause right after the player's own start is foreign, in whatever order the events come")
  func crossing() {
    var attribution = paused()
    attribution.wrotePause(false, at: start)
    #expect(attribution.observedPause(true) == true)
    #expect(
      attribution.readPause(true, isAtEnd: false, isSecondReading: false) == .changed(.paused))
  }

  // MARK: Speed

  @Test("A speed that the player didn't write is foreign, but a rounded one of its own isn't")
  func speed() {
    var attribution = ChangeAttribution()
    attribution.wroteSpeed(1.0204)
    #expect(!attribution.observedSpeed(1.020400001))
    #expect(attribution.observedSpeed(1.1))
    #expect(attribution.readSpeed(1.0204) == nil)
    #expect(attribution.readSpeed(1.1) == .changedSpeed(to: 1.1))
    #expect(attribution.readSpeed(1.1) == nil)
  }

  // MARK: Seeks

  @Test("The player's own seek isn't foreign, also when it ends on the next frame or at the end")
  func ownSeek() {
    for (target, position) in [(5.0, 5.04), (19.99, 19.96), (25.0, 20.01)] {
      var attribution = paused()
      attribution.sentSeek()
      attribution.answeredSeek(to: MediaTime(seconds: target))
      #expect(attribution.isOwnSeekPending)
      attribution.seekBegan(from: 1.0, at: later)
      #expect(attribution.playbackRestarted(at: start) == true)
      #expect(
        attribution.landed(
          at: MediaTime(seconds: position), duration: 20.0, frameDuration: frame) == nil)
      #expect(!attribution.isSeekPending)
    }
  }

  @Test(
    "The player's own seek is pending from its sending on, until it has ended or mpv refuses it")
  func sentSeek() {
    var attribution = paused()
    attribution.sentSeek()
    #expect(attribution.isOwnSeekPending)
    attribution.sentSeek()
    attribution.answeredSeek(to: nil)
    #expect(attribution.isOwnSeekPending)
    attribution.answeredSeek(to: nil)
    #expect(!attribution.isSeekPending)
  }

  @Test("A foreign seek is reported with the position where it ended")
  func foreignSeek() {
    for state in [paused(), playing()] {
      var attribution = state
      attribution.seekBegan(from: 1.0, at: later)
      #expect(attribution.isSeekPending)
      #expect(attribution.playbackRestarted(at: start) == true)
      #expect(
        attribution.landed(at: 6.0, duration: 20.0, frameDuration: frame) == .sought(to: 6.0))
    }
  }

  @Test("In a live stream or a stream without an index the player's own seek may end elsewhere")
  func ownSeekInLiveStream() {
    for (isFree, change) in [(true, nil), (false, ChangeAttribution.Change.missed(21.4))] {
      var attribution = paused()
      attribution.sentSeek()
      attribution.answeredSeek(to: 18.4)
      attribution.seekBegan(from: 17.4, at: later)
      #expect(attribution.playbackRestarted(at: start) == true)
      #expect(
        attribution.landed(at: 21.4, duration: nil, frameDuration: frame, isFree: isFree) == change)
      #expect(!attribution.isSeekPending)
    }
  }

  @Test("mpv's own seek to the last frame of a film that has ended isn't foreign")
  func seekAtTheEnd() {
    for state in [paused(), playing()] {
      var attribution = state
      attribution.seekBegan(from: 20.0, at: later)
      #expect(attribution.playbackRestarted(at: start) == true)
      #expect(attribution.landed(at: 19.5, duration: 20.0, frameDuration: frame) == nil)
      // A seek from another position to the end is foreign.
      attribution.seekBegan(from: 5.0, at: later)
      #expect(attribution.playbackRestarted(at: start) == true)
      #expect(
        attribution.landed(at: 19.9, duration: 20.0, frameDuration: frame) == .sought(to: 19.9))
    }
  }

  @Test("A step back by one frame is a seek while paused; a small deviation while playing isn't")
  func smallSeeks() {
    var attribution = paused()
    attribution.seekBegan(from: 4.0, at: later)
    #expect(attribution.playbackRestarted(at: start) == true)
    #expect(
      attribution.landed(at: 3.96, duration: 20.0, frameDuration: frame) == .sought(to: 3.96))

    // mpv seeks to its current position when a track is switched.
    attribution = playing()
    attribution.seekBegan(from: 4.0, at: later)
    #expect(attribution.playbackRestarted(at: start) == true)
    #expect(attribution.landed(at: 4.1, duration: 20.0, frameDuration: frame) == nil)
  }

  @Test("A foreign seek during the player's own is reported, and one before is overruled")
  func crossingSeeks() {
    var attribution = paused()
    attribution.sentSeek()
    attribution.answeredSeek(to: 5.0)
    attribution.seekBegan(from: 1.0, at: later)
    attribution.seekBegan(from: 5.0, at: later)
    #expect(attribution.playbackRestarted(at: start) == true)
    #expect(
      attribution.landed(at: 15.0, duration: 20.0, frameDuration: frame) == .sought(to: 15.0))

    attribution = paused()
    attribution.seekBegan(from: 1.0, at: later)
    attribution.sentSeek()
    attribution.answeredSeek(to: 5.0)
    // The restart of the foreign seek; ours is still to come.
    #expect(attribution.playbackRestarted(at: start) == false)
    attribution.seekBegan(from: 9.0, at: later)
    #expect(attribution.playbackRestarted(at: start) == true)
    #expect(attribution.landed(at: 5.0, duration: 20.0, frameDuration: frame) == nil)
  }

  @Test("A position that was read before the player's seek began is ignored")
  func readBefore() {
    var attribution = paused()
    attribution.seekBegan(from: 1.0, at: later)
    #expect(attribution.playbackRestarted(at: start) == true)
    attribution.sentSeek()
    attribution.answeredSeek(to: 5.0)
    #expect(attribution.landed(at: 9.0, duration: 20.0, frameDuration: frame) == nil)
    #expect(attribution.isOwnSeekPending)
  }

  @Test("A seek that ends elsewhere missed its target, or mpv combined it with a foreign one")
  func merged() {
    var attribution = paused()
    attribution.sentSeek()
    attribution.answeredSeek(to: 5.0)
    attribution.seekBegan(from: 1.0, at: later)
    #expect(attribution.playbackRestarted(at: start) == true)
    #expect(
      attribution.landed(at: 10.0, duration: 20.0, frameDuration: frame) == .missed(10.0))
  }

  // MARK: Answers

  @Test("A change right after the player's own pause or start may be a script's answer to it")
  func answers() {
    var attribution = ChangeAttribution(isPaused: true)
    let start = start
    #expect(!attribution.isAnswer(at: start))
    attribution.wrotePause(false, at: start)
    #expect(attribution.isAnswer(at: start + .milliseconds(30)))
    attribution.answered()
    #expect(attribution.isAnswering, "starts are answered in this file")
    #expect(!attribution.isAnswer(at: later), "somebody's choice")
    // The same again is no command that a script sees.
    attribution.wrotePause(false, at: later)
    #expect(!attribution.isAnswer(at: later + .milliseconds(30)))

    attribution.seekBegan(from: 5.0, at: start + .milliseconds(50))
    _ = attribution.playbackRestarted(at: later)
    _ = attribution.landed(at: 3.0, duration: 20.0, frameDuration: frame)
    #expect(attribution.isAnswer(at: nil), "the seek began then, whenever it ended")
    attribution.fileStarted()
    #expect(!attribution.isAnswering)
    attribution.wrotePause(true, at: start)
    attribution.wrotePause(false, at: start)
    var still = attribution
    still.fileEnded()
    still.seekBegan(from: .zero, at: start + .milliseconds(50))
    #expect(still.isAnswering, "also a seek that ends where it began")
    _ = attribution.playbackRestarted(at: later)
    #expect(attribution.isAnswer(at: later + .milliseconds(100)), "the start of a file")
  }

  @Test("The target of a seek says nothing about the end of what was played from there")
  func leftOwnTarget() {
    var attribution = paused()
    attribution.sentSeek()
    attribution.answeredSeek(to: 5.0)
    attribution.leftOwnTarget()
    #expect(attribution.ownSeekTarget == 5.0)
    attribution.seekBegan(from: 1.0, at: later)
    _ = attribution.playbackRestarted(at: later)
    _ = attribution.landed(at: 5.0, duration: 20.0, frameDuration: frame)
    attribution.leftOwnTarget()
    #expect(attribution.ownSeekTarget == nil)
  }

  @Test("Seeks while loading are a part of loading")
  func loading() {
    var attribution = paused()
    attribution.fileStarted()
    attribution.seekBegan(from: nil, at: later)
    #expect(attribution.playbackRestarted(at: start) == false)
    #expect(attribution.landed(at: 7.0, duration: 20.0, frameDuration: frame) == nil)
    #expect(!attribution.isSeekPending)
  }
}

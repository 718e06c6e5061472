import Testing
import Timekeeping

@testable import MPVPlayer

@Suite("The speed: rate, nudge and catch-up")
struct PlaybackSpeedTests {
  @Test("A nudge is clamped, and written at once")
  func nudged() {
    var speed = PlaybackSpeed()
    let step = speed.nudged(1.0081234567)
    #expect(step == .write(cancelling: nil) && speed.effective == 1.0081234567)
    let again = speed.nudged(1.0081234567)
    #expect(again == .nothing)
    for factor in [0, -1, .nan, .infinity] {
      let step = speed.nudged(factor)
      #expect(step == .nothing && speed.nudge == 1.0081234567)
    }
    _ = speed.nudged(9)
    #expect(abs(speed.nudge - 1.0099) < 1e-5)
  }

  @Test("A nudge ends a catch-up, and cancels its scheduled end")
  func catchUp() {
    var speed = PlaybackSpeed()
    _ = speed.reached(speed.plan(rate: 1, catchUp: 1.1))
    #expect(speed.effective == 1.1)
    _ = speed.plan(rate: 1, catchUp: 1)
    speed.scheduledChange(7)
    let step = speed.nudged(1.0081234567)
    #expect(step == .write(cancelling: 7) && speed.effective == 1.0081234567)
    #expect(speed.superseded() == nil)
  }

  @Test("A nudge waits for a scheduled change of the rate, which then writes it")
  func scheduled() {
    var speed = PlaybackSpeed()
    _ = speed.nudged(1.0071234567)
    let change = speed.plan(rate: 1.5, catchUp: 1)
    #expect(change.speed == 1.5, "a new rate begins without the nudge")
    speed.scheduledChange(7)
    let step = speed.nudged(1.0081234567)
    #expect(step == .wait)
    let result = speed.reached(change)
    #expect(result.isNewRate && result.mustWrite && speed.effective == 1.5 * 1.0081234567)
  }

  @Test("A command cancels the scheduled change, and remembers the last start")
  func superseded() {
    var speed = PlaybackSpeed()
    _ = speed.plan(rate: 2, catchUp: 1)
    speed.scheduledChange(7)
    speed.scheduledStart(8, answer: 9)
    let tokens = [speed.superseded(), speed.superseded()]
    #expect(tokens == [7, nil])
    #expect(speed.scheduledStart == PlaybackSpeed.ScheduledStart(timer: 8, answer: 9))
  }

  @Test("A reset ends nudge and catch-up, and a foreign change is adopted without them")
  func reset() {
    var speed = PlaybackSpeed()
    _ = speed.nudged(1.0081234567)
    let isNew = [speed.reset(toRate: 1), speed.reset(toRate: 2), speed.commanded(2)]
    #expect(isNew == [false, true, false] && speed.effective == 2)
    _ = speed.nudged(1.0081234567)
    speed.wrote(2 * 1.0081234567, rate: 2)
    let rate = speed.foreignChange(to: 1.5)
    #expect(rate == 1.5 && speed.effective == 1.5 && speed.nudge == 1)
  }

  @Test("At rate 1 a nudge stays in the resampler's range, also with a catch-up")
  func range() {
    var speed = PlaybackSpeed()
    _ = speed.nudged(1.2)
    #expect(abs(speed.effective - 1.0099) < 1e-5)
    let change = speed.plan(rate: 1, catchUp: 1.009)
    #expect(change.speed == 1.0099)
    _ = speed.commanded(1.5)
    _ = speed.nudged(1.2)
    #expect(abs(speed.effective - 1.8) < 1e-4)
  }

  @Test("While nudges are expected the speed is never exactly 1, which would remove the resampler")
  func unity() {
    var speed = PlaybackSpeed()
    #expect(speed.effective == PitchCorrection.unity)
    speed.nudgesExpected(false)
    #expect(speed.effective == 1)
    speed.nudgesExpected(true)
    speed.wrote(PitchCorrection.unity, rate: 1)
    let rate = speed.foreignChange(to: 1.1 * PitchCorrection.unity)
    #expect(rate == 1.1, "mpv's key multiplied the value that meant 1")
  }

  @Test("A foreign change begins from mpv's speed, also before a planned change counts as reached")
  func foreign() {
    var speed = PlaybackSpeed()
    let begin = speed.plan(rate: 1, catchUp: 1.0018)
    speed.wrote(begin.speed, rate: begin.rate)
    var rate = speed.foreignChange(to: 1.1 * begin.speed)
    #expect(rate == 1.1)

    speed = PlaybackSpeed()
    _ = speed.reached(speed.plan(rate: 1, catchUp: 1.0018))
    let end = speed.plan(rate: 1, catchUp: 1)
    speed.wrote(end.speed, rate: end.rate)
    rate = speed.foreignChange(to: 1.1 * end.speed)
    #expect(rate == 1.1)

    speed = PlaybackSpeed()
    let other = speed.plan(rate: 1.5, catchUp: 1)
    speed.wrote(other.speed, rate: other.rate)
    rate = speed.foreignChange(to: 1.65)
    #expect(rate == 1.65)

    speed = PlaybackSpeed()
    _ = speed.nudged(1.005)
    let clamped = speed.plan(rate: 1, catchUp: 1.009)
    #expect(clamped.speed == 1.0099)
    speed.wrote(clamped.speed, rate: clamped.rate)
    rate = speed.foreignChange(to: 1.1 * 1.0099)
    #expect(rate == 1.1)
  }
}

@Suite("The pitch at another speed")
struct PitchCorrectionTests {
  @Test("Nudges at rate 1 are resampled, and the pitch is kept at other speeds")
  func kept() {
    var pitch = PitchCorrection()
    pitch.read(isWanted: true)
    for speed in [PitchCorrection.unity, 0.997, 1.009] {
      #expect(!pitch.isNeeded(at: speed, expectsNudges: true))
    }
    for speed in [0.01, 0.8, 1.25, 2] { #expect(pitch.isNeeded(at: speed, expectsNudges: true)) }
  }

  @Test("Somebody who watches alone at speed 1 keeps mpv's own setting")
  func alone() {
    #expect(PitchCorrection().isNeeded(at: 1, expectsNudges: false))
  }

  @Test("Users who don't want the pitch to be kept are obeyed; the player's writes change nothing")
  func users() {
    var pitch = PitchCorrection()
    pitch.read(isWanted: false)
    pitch.wrote(true)
    pitch.read(isWanted: true)
    #expect(!pitch.isNeeded(at: 2, expectsNudges: true) && pitch.isOn)
  }
}

@Suite("The delays of starts and changes of speed")
struct PlaybackDelaysTests {
  @Test("Without sound there are none")
  func silent() {
    let delays = PlaybackDelays()
    #expect(delays.startLatency(hasAudio: false) == .zero)
    #expect(delays.speedChangeLatency(hasAudio: false) == .zero)
    #expect(delays.startLatency(hasAudio: true) == .microseconds(100))
    #expect(delays.speedChangeLatency(hasAudio: true) == .milliseconds(450))
  }

  @Test("The first start allows for the output's usual latency, the next for what was measured")
  func outputs() {
    var delays = PlaybackDelays()
    delays.outputChanged(to: "pulse")
    #expect(delays.startLatency(hasAudio: true) == .milliseconds(2))
    delays.outputChanged(to: "pipewire")
    #expect(delays.startLatency(hasAudio: true) == .milliseconds(9))
    let (allowed, error) = (Duration.milliseconds(9), Duration.milliseconds(-3))
    delays.learnStart(allowed: allowed, error: error, rate: 1, source: .audio)
    #expect(delays.startLatency(hasAudio: true) == .milliseconds(12))
    delays.outputChanged(to: "pipewire")
    #expect(delays.startLatency(hasAudio: true) == .milliseconds(12), "the same output")
    delays.outputChanged(to: "alsa")
    #expect(delays.startLatency(hasAudio: true) == .milliseconds(2))
  }

  @Test("The measured buffer of a large change is learned; that of a small one is noise")
  func buffered() {
    var delays = PlaybackDelays()
    let time = HostTime.now()
    delays.speedChanged(from: 1, to: 1.001, at: time, buffered: .milliseconds(100))
    #expect(delays.speedChangeLatency(hasAudio: true) == .milliseconds(450))
    delays.seekBegan()
    #expect(delays.correction(at: time) == .zero)
    delays.speedChanged(from: 1, to: 1.5, at: time, buffered: .milliseconds(200))
    #expect(delays.speedChangeLatency(hasAudio: true) == .milliseconds(200))
    #expect(delays.correction(at: time) == .milliseconds(100))
    delays.speedChanged(from: 1.5, to: 1, at: time, buffered: .seconds(5))
    #expect(delays.speedChangeLatency(hasAudio: true) == .milliseconds(200), "no buffer is so long")
    delays.fileStarted()
    #expect(delays.correction(at: time) == .zero)
  }
}

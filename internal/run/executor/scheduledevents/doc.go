// Package scheduledevents reads what Azure has planned for the machine it runs on, at the
// metadata address that each machine has, and lets Azure begin early.
//
// A machine that is not asked for a day gets no events any more, so each is asked all the time.
// The first answer may take two minutes.
package scheduledevents
